export const LONGEST_NAME = 100;

/** Whether a text is a valid name for a person. */
export const isName = (name: string): boolean => name !== '' && name.length <= LONGEST_NAME && !name.includes('\0');
