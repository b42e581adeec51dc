"""Clean texts before they are stored or shown. Pure, and independent of the rest of Signet."""
