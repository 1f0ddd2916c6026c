import type { Toolset } from '#call/tool.ts';
import { openApiOf } from './index.ts';

/** The document with an example of every operation. The examples are loaded on the first request for it. */
export async function openApiWithExamples(toolsets: readonly Toolset[]): Promise<object> {
  const { default: examples } = await import('./examples.json', { with: { type: 'json' } });
  return openApiOf(toolsets, examples);
}
