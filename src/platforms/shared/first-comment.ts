/** What the metadata of a post says of its first comment, by the result of the step that writes it. */
export function firstCommentIn(result: unknown): Readonly<Record<string, unknown>> {
  const { id, refused } = (result ?? {}) as Readonly<{ id?: string; refused?: string }>;
  return {
    ...(id !== undefined && { first_comment_id: id }),
    ...(refused !== undefined && { first_comment_error: refused }),
  };
}
