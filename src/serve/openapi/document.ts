import type { Toolset } from '#call/tool.ts';
import { openApiOf } from './index.ts';

/** The document with an example of every operation; these are loaded when somebody asks for it. */
export async function openApiWithExamples(toolsets: readonly Toolset[]): Promise<object> {
  const { default: examples } = await import('./examples.json', { with: { type: 'json' } });
  return openApiOf(toolsets, examples);
}
