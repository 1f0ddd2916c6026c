/** What nobody sees by itself: spaces, controls, joiners, direction marks, fillers, tags and the like. */
const UNSEEN = /^[\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800\u{1d159}]*$/u;

/** A text as people get it: empty where they would see nothing of it. */
export const asSeen = (text: string): string => (UNSEEN.test(text) && !text.includes('\0') ? '' : text);
