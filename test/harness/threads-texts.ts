const COFFEE = '☕'; // 3 bytes
const FAMILY = '👨‍👩‍👧‍👦'; // 25 bytes

/** Texts about as long as Threads takes them (500): what they are made of, and whether they fit. */
export const THREADS_TEXTS: readonly (readonly [what: string, text: string, fits: boolean])[] = [
  ['letters', 'a'.repeat(500), true],
  ['one letter too many', 'a'.repeat(501), false],
  ['accents', 'é'.repeat(500), true],
  ['Japanese', '日'.repeat(500), true],
  ['mathematical letters', '𝒳'.repeat(500), true],
  ['an emoji of three bytes', `${'a'.repeat(497)}${COFFEE}`, true],
  ['an emoji of three bytes too many', `${'a'.repeat(498)}${COFFEE}`, false],
  ['an emoji of four bytes', `${'a'.repeat(496)}😀`, true],
  ['an emoji of four bytes too many', `${'a'.repeat(497)}😀`, false],
  ['a skin tone', `${'a'.repeat(492)}👍🏽`, true],
  ['a skin tone too many', `${'a'.repeat(493)}👍🏽`, false],
  ['a family', `${'a'.repeat(475)}${FAMILY}`, true],
  ['a family too many', `${'a'.repeat(476)}${FAMILY}`, false],
  ['a flag', `${'a'.repeat(492)}🇩🇪`, true],
  ['a flag too many', `${'a'.repeat(493)}🇩🇪`, false],
  ['a heart with its variation selector', `${'a'.repeat(494)}❤️`, true],
  ['a key cap', `${'a'.repeat(493)}1️⃣`, true],
  ['a key cap too many', `${'a'.repeat(494)}1️⃣`, false],
  ['digits, which are no emoji', '1'.repeat(500), true],
  ['nothing but emoji', '😀'.repeat(125), true],
];
