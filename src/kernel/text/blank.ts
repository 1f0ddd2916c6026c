const FORMATS = String.raw`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}`;
/** Number signs of Arabic and other scripts, which are format characters and yet seen. */
const SIGNS = String.raw`\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}`;
/**
 * A class, for regular expressions with the flag v, of what nobody sees by itself, or what changes how others show:
 * controls, joiners, direction marks, fillers, tags and the like, but no spaces.
 */
export const UNSEEN = `[[${FORMATS}]--[${SIGNS}]]`;

const BLANK = new RegExp(String.raw`^[${UNSEEN}\p{White_Space}]*$`, 'v');

/** A text as people get it: empty where they would see nothing of it. */
export const asSeen = (text: string): string => (BLANK.test(text) && !text.includes('\0') ? '' : text);
