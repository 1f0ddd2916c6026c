import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clientsOf } from '#serve/web/kit/mcp-clients.ts';
import { ROOT } from '../../architecture/source.ts';

it('the page says of each client what docs/assistants.md says', () => {
  const docs = readFileSync(join(ROOT, 'docs/assistants.md'), 'utf8');
  const lacking = clientsOf('http://localhost:8080/mcp').flatMap(({ title, steps }) => {
    const [first, ...others] = steps;
    const told = [`**${title}.** ${first!.say}`, ...others.map(({ say, code }) => say ?? code)];
    return told.filter((part) => !docs.includes(part));
  });
  expect(lacking).toEqual([]);
});
