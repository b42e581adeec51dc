"""Models that write text and models that embed it, behind two small protocols."""
