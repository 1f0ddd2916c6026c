/** What others make of the OpenAPI document: a TypeScript client that is generated from it, and a linter. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Example, Examples } from '#serve/openapi/index.ts';
import { makeFolder } from '../../harness/folders.ts';
import { TOOLS } from '../../harness/calls/operations.ts';
import { isUpToDate } from '../installed.mjs';

const here = join(import.meta.dirname, 'npm');
const isInstalled = isUpToDate(here);
if (!isInstalled) process.stderr.write('skipped, run node test/wire/generated-client/install.mjs first\n');

const DOCUMENT = join(import.meta.dirname, '../../../docs/reference/openapi.json');
const EXAMPLES = join(import.meta.dirname, '../../../src/serve/openapi/examples.json');
const load = createRequire(join(here, 'package.json'));

/** The types of the client, as the generator writes them. */
async function generate(folder: string): Promise<string> {
  const { default: openapi, astToString } = await import(pathToFileURL(load.resolve('openapi-typescript')).href);
  const file = join(folder, 'client.ts');
  writeFileSync(file, astToString(await openapi(pathToFileURL(DOCUMENT))));
  return file;
}

/** A program that reads every example as the type of its answer, and writes its body as that of its request. */
function programOf(examples: Examples): string {
  const lines = TOOLS.flatMap(({ name, http, body, file, stream }) => {
    const example: Example | undefined = examples[name];
    if (example === undefined) return [];
    const type = `operations['${name}']`;
    const mediaType = file?.type ?? (stream ? 'text/event-stream' : 'application/json');
    const sent = Object.entries(example.input).filter(([field]) => !http.path.includes(`{${field}}`));
    const sends = sent.length > 0 && body === undefined && http.method !== 'GET' && http.method !== 'DELETE';
    const request = `NonNullable<${type}['requestBody']>['content']['application/json']`;
    const answer = `${type}['responses'][${example.status}]['content']['${mediaType}']`;
    return [
      `export const ${name}_answer: ${answer} = ${JSON.stringify(example.answer)};`,
      ...(sends ? [`export const ${name}_body: ${request} = ${JSON.stringify(Object.fromEntries(sent))};`] : []),
    ];
  });
  return ["import type { operations } from './client.ts';", ...lines].join('\n');
}

/** What the compiler finds wrong with files in strict mode. */
function compile(files: readonly string[]): readonly string[] {
  const ts = load('typescript');
  const options = { strict: true, noEmit: true, allowImportingTsExtensions: true, lib: ['lib.es2022.d.ts'], types: [] };
  const program = ts.createProgram(files, options);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText, file, start }: { messageText: unknown; file?: { text: string }; start?: number }) => {
      const line = file?.text.slice(0, start).split('\n').at(-1)?.slice(0, 60) ?? '';
      return `${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
}

describe.skipIf(!isInstalled)('the OpenAPI document', () => {
  it('makes a client that compiles in strict mode and reads every example', async () => {
    const folder = makeFolder();
    const client = await generate(folder);
    const examples = JSON.parse(readFileSync(EXAMPLES, 'utf8')) as Examples;
    const program = join(folder, 'program.ts');
    writeFileSync(program, programOf(examples));
    expect(compile([client, program])).toEqual([]);
    // The same program with a field of another type does not compile.
    const wrong = { ...examples, list_brands: { ...examples['list_brands']!, answer: { count: 'ten' } } };
    writeFileSync(program, programOf(wrong));
    expect(compile([program]).join('\n')).toContain('list_brands_answer');
  });

  it('passes the recommended rules of a linter, but for the two paths of the contract that are ambiguous', async () => {
    const { createConfig, lint } = load('@redocly/openapi-core');
    const rules = {
      // Objects without listed fields are open by design; what answers carry besides is found by test/examples.
      'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
    };
    const found = await lint({ ref: DOCUMENT, config: await createConfig({ extends: ['recommended'], rules }) });
    const problems = (found as readonly { ruleId: string; message: string }[]).map(
      (one) => `${one.ruleId}: ${one.message}`,
    );
    const isOfContract = (problem: string) =>
      /^no-ambiguous-paths: .*`\/accounts\/pending\/\{connection_id\}` and `\/accounts\/\{account_id\}\/[a-z-]+`\.$/.test(
        problem,
      );
    expect(problems.filter((problem) => !isOfContract(problem))).toEqual([]);
    expect(problems.length).toBeGreaterThan(0);
  });
});
