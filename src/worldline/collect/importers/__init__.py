"""collect/importers"""
