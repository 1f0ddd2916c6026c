/** A username as people write it; platforms without usernames give names, which have spaces. */
export const handleOf = (username: string): string => (/\s/.test(username) ? username : `@${username}`);
