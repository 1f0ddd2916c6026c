export const LARGEST_FILE_BYTES = 52_428_800;

/** The default of the setting MEDIA_MAX_BYTES, which limits all other files. */
export const MEDIA_MAX_BYTES = 1_073_741_824;

export const LARGEST_IMPORT_BYTES = 10_485_760;
