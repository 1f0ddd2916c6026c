/** The page with links to all settings. */
export const SETTINGS = '/dashboard/settings';
