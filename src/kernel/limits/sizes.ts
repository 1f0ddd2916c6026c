/** The largest file that is taken, however it comes: what no upload can be, no post can promise. */
export const LARGEST_FILE_BYTES = 52_428_800;

/** The largest file of posts to import. */
export const LARGEST_IMPORT_BYTES = 10_485_760;
