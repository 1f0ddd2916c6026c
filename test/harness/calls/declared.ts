import { isHoldable, type AnyTool } from '#call/tool.ts';
import { refusalsOf } from '#serve/refusals.ts';
import { toolsets } from '#tools/index.ts';
import { checkStep } from './next-step.ts';

const TOOLS: readonly AnyTool[] = toolsets.flatMap(({ tools }) => tools);

/** The operations by their routes; of two that fit, the one with fewer parameters comes first. */
const ROUTES = TOOLS.map((tool) => ({
  tool,
  method: tool.http.method,
  path: new RegExp(`^/v1${tool.http.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
})).toSorted((a, b) => a.tool.http.path.split('{').length - b.tool.http.path.split('{').length);

type Answered = Readonly<{ status?: number; code: string | undefined; message?: string | undefined }>;

/** Throws when an operation of REST answers what it does not declare, or refuses without a next step. */
export function checkRoute(call: string, answered: Answered): void {
  const [method, pathname = ''] = call.split(/[ ?]/);
  check(ROUTES.find((route) => route.method === method && route.path.test(pathname))?.tool, answered);
}

/** The same for a tool of MCP, which besides refuses arguments that it does not know. */
export function checkTool(name: string, answered: Answered): void {
  if (answered.code === 'validation.field_invalid') return;
  check(
    TOOLS.find((tool) => tool.name === name),
    answered,
  );
}

function check(tool: AnyTool | undefined, { status, code, message }: Answered): void {
  if (code !== undefined) checkStep(message);
  if (tool === undefined) return;
  const { status: usual = 200, also = [] } = tool.http;
  if (code === undefined) {
    const held = isHoldable(tool) ? [202] : [];
    if (status === undefined || [usual, ...also, ...held].includes(status)) return;
    throw new Error(`${tool.name} does not declare the status ${status}.`);
  }
  const anyPlatforms = code.replace(/^platform\.\w+\./, 'platform.<platform>.');
  const known = refusalsOf(tool).some((refusal) => refusal.code === code || refusal.code === anyPlatforms);
  if (!known) throw new Error(`${tool.name} does not declare ${code}.`);
}
