/** The page with links to all settings. */
export const SETTINGS = '/dashboard/settings';

/** The page on which people choose what they are notified of by mail. */
export const NOTIFICATIONS = '/dashboard/notifications';
