"""Create or repair a workspace. User files are never overwritten."""
