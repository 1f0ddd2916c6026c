/** A username with @; a text with spaces is a name from a platform without usernames and stays as it is. */
export const handleOf = (username: string): string => (/\s/.test(username) ? username : `@${username}`);
