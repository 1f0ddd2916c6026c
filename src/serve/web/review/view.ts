import type { Act } from '#kernel/acts.ts';
import {
  ACTION_STATES,
  requesterOf,
  deciderOf,
  isChoosable,
  labelOf,
  postOf,
  restOf,
  titleOf,
  whenOf,
  type Leaf,
  type PageWords,
} from '#kernel/people/preview.ts';
import { forPeople } from '#kernel/people/sentences.ts';
import { attributes, html, type Html } from '#kernel/text/html.ts';
import { cut } from '#kernel/text/length.ts';
import { textsIn } from '#kernel/text/pointers.ts';
import type { AccountView } from '../dashboard/live/accounts-view.ts';
import { drawField, drawCheckbox } from '../kit/form-fields.ts';
import { drawTime, timeIn } from '../kit/times.ts';
import type { Around } from './around.ts';
import { drawAround, drawLeaves } from './around-view.ts';

/** Records as the operations return them. */
export type ActionView = Readonly<{
  id: string;
  connection_id: string;
  client: string | null;
  tool: string;
  act: Act;
  state: keyof typeof ACTION_STATES;
  account_ids: readonly string[];
  input: Readonly<Record<string, unknown>>;
  edits: Readonly<Record<string, string>> | null;
  etag: string;
  note: string | null;
  decided_by: string | null;
  /** What the operation returned, once it is done. */
  outcome: Readonly<Record<string, unknown>> | null;
  error: Readonly<{ code: string; message: string }> | null;
  created_at: string;
  expires_at: string;
}>;
export type MessageView = Readonly<{ direction: string; text: string | null; created_at: string }>;

type ActionPage = Readonly<{
  action: ActionView;
  /** The host of the app or the first characters of the key that asked, for those who see the connection. */
  host: string | undefined;
  accounts: readonly AccountView[];
  messages: readonly MessageView[];
  around: Around | undefined;
  field: Html;
  zone: string;
  /** What the person had typed into the refused form. */
  typed: Readonly<{ note: string; edits: Readonly<Record<string, string>> }> | undefined;
}>;

type QueuePage = Readonly<{
  actions: readonly ActionView[];
  field: Html;
  zone: string;
  /** The ticks that are kept after a refusal. */
  ticked: readonly string[];
}>;

/** The value of an action's tick: what is decided on, as it was shown. */
const tickOf = ({ id, etag }: ActionView): string => `${id} ${etag}`;

/** The pending requests, and the results of recent decisions. */
export function drawQueue({ actions, field, zone, ticked }: QueuePage): Html {
  const waiting = actions.filter(({ state }) => state === 'held');
  const others = actions.filter(({ state }) => state !== 'held');
  const drawRow = (action: ActionView) =>
    html`<li>
      <div>
        <a href="/review/${action.id}">${titleOf(action)}</a> <bdi>${requesterOf(action)}</bdi><br />
        ${firstTextOf(action.input)}<br />
        <small class="quiet">${ACTION_STATES[action.state]}; asked ${drawTime(action.created_at, zone)}</small>
      </div>
      ${isChoosable(action) && drawChoice(action, ticked.includes(tickOf(action)))}
    </li>`;
  return html`<form method="post" action="/review/several">
      ${field}
      ${
        waiting.length === 0
          ? html`<p class="quiet">Nothing is waiting for you.</p>`
          : html`<ul class="rows">
              ${waiting.map(drawRow)}
            </ul>`
      }
      ${
        waiting.some(isChoosable) &&
        html`<div class="actions">
          <button class="primary" name="decision" value="approve">Approve the chosen</button>
          <button name="decision" value="deny">Deny the chosen</button>
        </div>`
      }
    </form>
    ${
      others.length > 0 &&
      html`<h2>Decided</h2>
        <ul class="rows">
          ${others.map(drawRow)}
        </ul>`
    }`;
}

function drawChoice(action: ActionView, isTicked: boolean): Html {
  const label = html`Choose <span class="heard">${titleOf(action)}: ${cut(firstTextOf(action.input), 60, '…')}</span>`;
  return drawCheckbox('action', tickOf(action), label, '', isTicked);
}

/** One action with everything it would do, and the form for the decision. */
export function drawAction(page: ActionPage): Html {
  const { action, host, accounts, messages, around, zone } = page;
  const words = wordsOf(accounts, around, zone);
  const isHeld = action.state === 'held';
  const decider = deciderOf(action);
  const when = isHeld && action.act === 'post' ? whenOf(action, words) : undefined;
  const texts = isHeld ? [] : textsIn(action.input);
  return html`${drawProgress(action)}
    <dl>
      <dt>Asked by</dt>
      <dd>
        <bdi>${requesterOf(action)}</bdi>
        ${host !== undefined && html`<small class="quiet">${host}</small>`}
      </dd>
      <dt>What</dt>
      <dd>${titleOf(action)}</dd>
      ${drawLeaves(action.account_ids.map((id) => ['Account', words.nameOf(id) ?? id]))}
      ${when !== undefined && drawLeaves([['When', when]])}
      <dt>State</dt>
      <dd>${ACTION_STATES[action.state]}${decider !== undefined && html`, by <bdi>${decider}</bdi>`}</dd>
      ${
        action.error !== null &&
        html`<dt>Why not</dt>
          <dd>${forPeople(action.error.message)}</dd>`
      }
      ${
        action.note !== null &&
        html`<dt>Note</dt>
          <dd><bdi>${action.note}</bdi></dd>`
      }
      <dt>Asked</dt>
      <dd>${drawTime(action.created_at, zone)}, open until ${drawTime(action.expires_at, zone)}</dd>
      ${drawLeaves(restOf(action.input, words))}
      ${drawLeaves(texts.map(([pointer, text]) => ['Text', action.edits?.[pointer] ?? text]))}
    </dl>
    ${messages.length > 0 && drawMessages(messages, zone)} ${around && drawAround(around, words)}
    ${isHeld ? drawForm(page, words) : html`<p><a class="button" href="/review">Back</a></p>`}`;
}

/** What became of an approved action. The page of a post says how it went on each network. */
function drawProgress(action: ActionView): Html | undefined {
  const { id, state } = action;
  if (state === 'approved' || state === 'running') {
    return html`<p role="status">It is being done.</p>
      <p><a class="button primary" href="/review/${id}">See how it went</a></p>`;
  }
  const post = state === 'done' ? postOf(action) : undefined;
  if (post === undefined) return undefined;
  return html`<p><a class="button primary" href="/dashboard/posts/${post}">See the post and how it went</a></p>`;
}

/** Messages that are listed newest first, in the order in which they were sent. */
function drawMessages(messages: readonly MessageView[], zone: string): Html {
  return html`<h2>The last messages</h2>
    <ul class="rows">
      ${messages.toReversed().map(
        ({ direction, text, created_at }) =>
          html`<li>
            <div>
              <small class="quiet"
                >${direction === 'outgoing' ? 'From you' : 'From them'}, ${drawTime(created_at, zone)}</small
              ><br /><bdi>${text || 'No text'}</bdi>
            </div>
          </li>`,
      )}
    </ul>`;
}

function drawForm({ action, field, typed }: ActionPage, words: PageWords): Html {
  const texts = textsIn(action.input);
  return html`<form ${attributes({ method: 'post', action: `/review/${action.id}` })}>
    ${field}
    <input ${attributes({ type: 'hidden', name: 'etag', value: action.etag })} />
    ${texts.map(([pointer, text], at) => {
      const id = `text-${at}`;
      const area = attributes({ id, name: `edit ${pointer}`, rows: '6', maxlength: '100000' });
      const now = typed?.edits[pointer] ?? text;
      return html`<div class="field">
        <label for="${id}"><bdi>${labelOf(pointer, action.input, words)}</bdi></label
        ><textarea ${area}>${now}</textarea>
      </div>`;
    })}
    ${drawField({
      name: 'note',
      label: 'Note',
      hint: 'Shown to whoever asked.',
      value: typed?.note,
      required: false,
      maxlength: 1000,
    })}
    <div class="actions">
      <button class="primary" name="decision" value="approve">Approve as asked</button>
      ${texts.length > 0 && html`<button name="decision" value="edited">Approve with my texts</button>`}
      <button name="decision" value="deny">Deny</button>
    </div>
  </form>`;
}

function wordsOf(accounts: readonly AccountView[], around: Around | undefined, zone: string): PageWords {
  const names = new Map([
    ...accounts.map(({ id, name, platform }): Leaf => [id, `${name} (${platform})`]),
    ...(around?.files ?? []).map(({ id, filename }): Leaf => [id, filename]),
    ...(around?.posts ?? []).map(({ id, text }): Leaf => [id, cut(text || 'A post without text', 60, '…')]),
  ]);
  return { nameOf: (account) => names.get(account), timeOf: (instant) => timeIn(instant, zone) };
}

const firstTextOf = (input: unknown): string => cut(textsIn(input)[0]?.[1] ?? '', 200, '…');
