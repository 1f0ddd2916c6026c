/** A number with its noun, such as 1 post or 2 posts. */
export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
