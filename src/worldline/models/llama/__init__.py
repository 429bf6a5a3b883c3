"""llama.cpp inside this process: an engine that runs one model file, and prompts as token ids."""
