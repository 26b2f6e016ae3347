// Where a sample lies: below, inside or above the band.

/** Pairs of the word for a place and its colour, in this order. */
export const PLACES = [["doubtful", "lower"], ["typical", "muted"], ["extreme", "upper"]];
