export const LARGEST_FILE_BYTES = 52_428_800;

/** The largest file otherwise, unless MEDIA_MAX_BYTES differs. */
export const MEDIA_MAX_BYTES = 1_073_741_824;

export const LARGEST_IMPORT_BYTES = 10_485_760;
