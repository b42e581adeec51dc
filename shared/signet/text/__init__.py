"""What is taken out of texts before they are stored or shown. Pure, and without any other part of Signet."""
