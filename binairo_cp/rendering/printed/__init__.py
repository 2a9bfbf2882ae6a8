"""Books for print shops: trim and margins, front matter, sections, answers, the cover."""
