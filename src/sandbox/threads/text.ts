/** The usernames a text mentions, each once. */
export const mentionsIn = (text: string): readonly string[] => [
  ...new Set(
    [...text.matchAll(/(?<![\w@.])@([a-z\d_][a-z\d_.-]*[a-z\d_])/gi)].map(([, name = '']) => name.toLowerCase()),
  ),
];
