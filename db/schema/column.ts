/** A boolean column. */
export type Flag = 0 | 1;
/** A column that holds JSON text. */
export type Json = string;
