import { Parser } from 'htmlparser2';

/** The entries of an Atom feed as texts by element name; empty if the body is not a feed. */
export function entriesOf(body: Uint8Array): readonly Readonly<Record<string, string>>[] {
  const entries: Record<string, string>[] = [];
  const path: string[] = [];
  let entry: Record<string, string> = {};
  const parser = new Parser(
    {
      onopentag(name) {
        path.push(name);
        if (name === 'entry') entry = {};
      },
      ontext(words) {
        const name = path.at(-1);
        if (name === undefined || path.at(-2) !== 'entry') return;
        entry[name] = (Object.hasOwn(entry, name) ? entry[name]! : '') + words;
      },
      onclosetag(name) {
        path.pop();
        if (name === 'entry') entries.push(entry);
      },
    },
    { xmlMode: true },
  );
  parser.end(Buffer.from(body).toString('utf8'));
  return entries;
}
