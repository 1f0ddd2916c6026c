const HASHTAG = /(?<!\S)#[\p{L}\p{N}_]+/gu;
const MENTION = /(?<!\S)@[\p{L}\p{N}_.-]+/gu;

export const hashtagsIn = (text: string): number => text.match(HASHTAG)?.length ?? 0;

export const mentionsIn = (text: string): number => text.match(MENTION)?.length ?? 0;
