import { describe, expect, it } from 'vitest';
import { sources, sourcesIn, tests, withoutComments, type Source } from './source.ts';

/** Places of a pattern in the code, comments left out. */
function places(pattern: RegExp, among: readonly Source[], except: RegExp = /^$/): readonly string[] {
  return among
    .filter(({ path }) => !except.test(path))
    .flatMap(({ path, code }) =>
      code.split('\n').flatMap((line, at) => (pattern.test(line) ? [`${path}:${at + 1}`] : [])),
    );
}

/** The outbound HTTP client and its parts. */
const OUTBOUND = /^src\/kernel\/net\/(?:request|exchange|dial|outbound|resolve)\.ts$/;

describe('source files', () => {
  // The linter holds functions to 100 lines and files to 300.
  it('fit on one screen where they declare an operation', () => {
    const operations = sourcesIn('tools').filter(({ code }) => /\bdefineTool\(/.test(code));
    expect(operations.length).toBeGreaterThan(0);
    expect(operations.filter(({ lines }) => lines > 80).map(({ path, lines }) => `${path} ${lines}`)).toEqual([]);
  });

  it('lie in folders of at most 20', () => {
    const folders = Map.groupBy([...sources.map(({ path }) => path), ...tests], (path) =>
      path.slice(0, path.lastIndexOf('/')),
    );
    const full = [...folders]
      .filter(([, files]) => files.length > 20)
      .map(([folder, files]) => `sort the ${files.length} files of ${folder} into sub-folders, one subject each`);
    expect(full).toEqual([]);
  });

  it('are named in kebab-case', () => {
    const named = /^(?:[a-z0-9]+(?:-[a-z0-9]+)*|\d{4}(?:-[a-z0-9]+)+)(?:\.d)?\.ts$/;
    expect(sources.map(({ path }) => path).filter((path) => !named.test(path.split('/').at(-1)!))).toEqual([]);
  });

  it('read the environment in one place', () => {
    expect(places(/\bprocess\.env\b/, sources, /^src\/kernel\/config\/config\.ts$/)).toEqual([]);
  });

  it('tell the time in one place', () => {
    expect(places(/\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)/, sources, /^src\/kernel\/clock\.ts$/)).toEqual([]);
  });

  it('call out in one place', () => {
    expect(
      places(/(?<![.\w])fetch\(|\bglobalThis\.fetch\b|\bnew WebSocket\(|\bnew EventSource\(/, sources, OUTBOUND),
    ).toEqual([]);
  });

  it('ask the store in one place', () => {
    const query =
      /\b(?:selectFrom|selectNoFrom|insertInto|replaceInto|updateTable|deleteFrom|mergeInto)\b|\bsql(?:<[^`]*>)?`|\bsql\./;
    const outside = sources.filter(({ path }) => !path.startsWith('db/'));
    expect(places(query, sourcesIn('db')).length).toBeGreaterThan(100);
    expect(places(query, outside)).toEqual([]);
  });

  it('do not write to the console', () => {
    expect(places(/\bconsole\s*\.\s*(?:log|error|warn|info|debug|trace|dir|table)\b/, sources)).toEqual([]);
  });

  it('look words up in maps, as an object also has an answer to `constructor`', () => {
    const tables = sources.flatMap(({ path, code }) =>
      [...code.matchAll(/\bconst (\w+): Readonly<Record<string,[^=;]+(?:=>[^=;]+)*= (?:Object\.freeze\()?\{/g)]
        .filter(([, name]) => new RegExp(`(?<![.\\w])${name}\\[(?!')|\\bin ${name}\\b`).test(code))
        .map(([, name]) => `${path}: ${name}`),
    );
    expect(tables).toEqual([]);
  });

  it('have no class but errors', () => {
    expect(places(/^\s*(?:export\s+)?(?:abstract\s+)?class\s+\w+(?! extends \w*Error\b)(?!\w)/, sources)).toEqual([]);
  });

  it('name nothing Service, Manager, Helper or utils', () => {
    expect(places(/\b(?:class|function|const|type)\s+\w*(?:Service|Manager|Helper)\b/, sources)).toEqual([]);
    expect(
      sources.filter(({ path }) => /(?:service|manager|helper|utils?)s?\.ts$/.test(path)).map(({ path }) => path),
    ).toEqual([]);
  });
});

describe('operations', () => {
  it('never write to the store themselves', () => {
    expect(places(/\bstore\s*\.\s*write\b|\.write\(\s*async\b|\btx\./, sourcesIn('tools'))).toEqual([]);
  });

  it('never catch', () => expect(places(/\bcatch\b/, sourcesIn('tools'))).toEqual([]));
});

describe('the two worlds of authentication', () => {
  it('never meet: no cookie is known where /v1 and /mcp are served', () => {
    expect(places(/cookie/i, [...sourcesIn('src/serve/http'), ...sourcesIn('src/serve/mcp')])).toEqual([]);
    expect(
      places(
        /cookie/i,
        sources.filter(({ path }) => path === 'src/serve/invoke.ts'),
      ),
    ).toEqual([]);
  });

  it('never meet: no bearer token opens a page', () => {
    expect(places(/headers\W+authorization|\bget\W+authorization/i, sourcesIn('src/serve/web'))).toEqual([]);
  });
});

describe('the reader of source', () => {
  it('leaves comments out and everything else in', () => {
    const text =
      "const a = 'http://x'; // process.env\n/* console.log\n*/ const b = /[/'\"]\\/\\//; const c = `// ${a}`;\n";
    const code = withoutComments(text);
    expect(code).not.toContain('process');
    expect(code).not.toContain('console');
    expect(code).toContain("'http://x'");
    expect(code).toContain('const b = /[/\'"]\\/\\//; const c = `// ${a}`;');
    expect(code.split('\n')).toHaveLength(text.split('\n').length);
  });
});
