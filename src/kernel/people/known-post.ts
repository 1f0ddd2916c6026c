/** A post as the inbox has it. */
type KnownPost = Readonly<{ content: string; permalink: string | null }>;

/** Whether only the id of a post is known so far. */
export function isOnlyNamed({ content, permalink }: KnownPost): boolean {
  return content === '' && !permalink;
}

/** The text of a post in the inbox, or why there is none. */
export function wordsOfPost(post: KnownPost): string {
  if (isOnlyNamed(post)) return 'Its text is not known here.';
  return post.content === '' ? 'It has no text.' : post.content;
}
