/** Matches emoji, including non-standard sequences and marks. */
const EMOJI =
  /\p{RGI_Emoji}\u{FE0F}?|[#*0-9]\u{FE0F}?\u{20E3}|\p{Extended_Pictographic}\u{FE0F}?\p{Emoji_Modifier}?(?:\u{200D}\p{Extended_Pictographic}\u{FE0F}?\p{Emoji_Modifier}?)+/gv;

export function splitEmoji(text: string): Readonly<{ emoji: readonly string[]; rest: string }> {
  const emoji: string[] = [];
  const rest = text.replace(EMOJI, (one) => {
    emoji.push(one);
    return '';
  });
  return { emoji, rest };
}
