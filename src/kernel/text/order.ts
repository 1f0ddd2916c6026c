/** Compares texts by code units, for sorting. */
export const byCodeUnits = (one: string, other: string): number => Number(one > other) - Number(one < other);
