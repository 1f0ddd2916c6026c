import { sentences } from '#kernel/envelope.ts';
import { ApiError } from '#kernel/errors.ts';
import { titleOf } from '#kernel/people/preview.ts';
import type { RequestContext } from '#kernel/route.ts';
import { tableOf } from '#kernel/text/table.ts';
import { inFormWords } from '../kit/form-fields.ts';
import type { Operate } from '../kit/operate.ts';
import type { Visitor } from '../sign-in/visitors.ts';
import type { ActionView } from './view.ts';

const EDIT = 'edit ';
const EDITED = 'edited';
/** The operation of each button in the form. */
const OPERATIONS = tableOf({ approve: 'approve_action', [EDITED]: 'approve_action', deny: 'deny_action' });

/** Makes the decisions of the forms, for one action or for several. */
export function makeDecisions(operate: Operate) {
  async function decide(
    ctx: RequestContext,
    visitor: Visitor,
    action_id: string,
    fields: URLSearchParams,
  ): Promise<ApiError | undefined> {
    const decision = fields.get('decision') ?? '';
    const operation = OPERATIONS.get(decision);
    if (operation === undefined) return noDecision();
    const note = (fields.get('note') ?? '').trim();
    const input = {
      action_id,
      etag: fields.get('etag') ?? '',
      ...(note !== '' && { note }),
      ...(decision === EDITED && { edits: editsIn(fields) }),
    };
    return (await operate(ctx, visitor, operation, input)).refusal;
  }

  /** The title of an action; of one that is gone, that it is. */
  async function titleAt(ctx: RequestContext, visitor: Visitor, action_id: string): Promise<string> {
    const { body } = await operate(ctx, visitor, 'get_action', { action_id });
    return body === undefined ? 'A request that is gone' : titleOf(body as ActionView);
  }

  /** Decides on each tick; of those that are refused, returns the ticks and one refusal that names their actions. */
  async function decideEach(ctx: RequestContext, visitor: Visitor, decision: string, chosen: readonly string[]) {
    if (!OPERATIONS.has(decision)) return { ticked: chosen, refusal: noDecision() };
    const refused: { ticked: string; refusal: ApiError; words: string }[] = [];
    for (const ticked of chosen) {
      const [id = '', etag = ''] = ticked.split(' ');
      const refusal = await decide(ctx, visitor, id, new URLSearchParams({ decision, etag }));
      if (refusal === undefined) continue;
      refused.push({ ticked, refusal, words: `${await titleAt(ctx, visitor, id)}: ${inFormWords(refusal).message}` });
    }
    const [first] = refused;
    if (first === undefined) return undefined;
    const { code, detail } = first.refusal;
    const message = refused.map(({ words }) => words).reduce(sentences);
    return { ticked: refused.map(({ ticked }) => ticked), refusal: new ApiError(code, { ...detail, message }) };
  }

  return { decide, decideEach };
}

const noDecision = (): ApiError =>
  new ApiError('validation.field_invalid', { message: 'Choose what should happen.', meta: { field: 'decision' } });

/** The texts of a form by their JSON pointers. Browsers send line ends as CRLF. */
export function editsIn(fields: URLSearchParams): Readonly<Record<string, string>> {
  const edits = [...fields].filter(([name]) => name.startsWith(EDIT));
  return Object.fromEntries(edits.map(([name, text]) => [name.slice(EDIT.length), text.replaceAll('\r\n', '\n')]));
}
