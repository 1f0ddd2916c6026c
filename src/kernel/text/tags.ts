const HASHTAG = /(?<!\S)#[\p{L}\p{N}_]+/gu;
const MENTION = /(?<!\S)@[\p{L}\p{N}_.-]+/gu;

/** How many hashtags are in a text. */
export const hashtagsIn = (text: string): number => text.match(HASHTAG)?.length ?? 0;

/** How many people are mentioned in a text. */
export const mentionsIn = (text: string): number => text.match(MENTION)?.length ?? 0;
