const FORMATS = String.raw`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}`;
/** Number signs of Arabic and other scripts, which are format characters but visible. */
const SIGNS = String.raw`\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}`;
/** A character class (flag v) of invisible characters: controls, joiners, direction marks, fillers, tags; no spaces. */
export const UNSEEN = `[[${FORMATS}]--[${SIGNS}]]`;

const BLANK = new RegExp(String.raw`^[${UNSEEN}\p{White_Space}]*$`, 'v');

/** The text, or an empty one if it contains nothing visible. */
export const asSeen = (text: string): string => (BLANK.test(text) && !text.includes('\0') ? '' : text);
