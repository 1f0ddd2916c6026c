/** The page from which all settings are reached. */
export const SETTINGS = '/dashboard/settings';
