/** Worlds with Plaza have it in place of Pinterest. */
export const SLUG = 'pinterest';
