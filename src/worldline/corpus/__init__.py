"""From trajectories to training sets. So far: what a corpus is made of."""
