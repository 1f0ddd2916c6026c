/** The largest file that is taken in a multipart form. */
export const LARGEST_FILE_BYTES = 52_428_800;

/** The largest file that is taken otherwise, unless MEDIA_MAX_BYTES says more or less. */
export const MEDIA_MAX_BYTES = 1_073_741_824;

/** The largest file of posts to import. */
export const LARGEST_IMPORT_BYTES = 10_485_760;
