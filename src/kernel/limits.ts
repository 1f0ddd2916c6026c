/** The largest file that is taken, however it comes: what no upload can be, no post can promise. */
export const LARGEST_FILE_BYTES = 52_428_800;
