/** How people write a username. Platforms without usernames give the name instead, which has spaces. */
export const handleOf = (username: string): string => (/\s/.test(username) ? username : `@${username}`);
