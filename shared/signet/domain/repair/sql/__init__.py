"""The statements of repairs, one module for each subject; what they change is changed by its owner."""
