/** The twin's own page in the console: what is there, what people can do, what was sent. */
import type { Context } from 'koa';
import { wireTime } from '../../kernel/clock.ts';
import { PageError } from '../forms.ts';
import type { Forms } from '../forms.ts';
import { html, page } from '../html.ts';
import type { Html } from '../html.ts';
import { doAct } from './acts.ts';
import type { Act, Acts, Field } from './acts.ts';
import type { Message } from './docs.ts';
import { buttonsOf } from './talk.ts';
import type { Push } from './push-log.ts';
import type { World } from './world.ts';
import type { Www } from './www.ts';

const HOME = '/sandbox/facebook';
const SHOWN_POSTS = 10;
const SHOWN_COMMENTS = 20;
const SHOWN_MESSAGES = 20;
const SHOWN_PUSHES = 20;
const LONGEST_BODY = 2000;
const GROUPS = Object.freeze({
  follower: 'What followers do',
  page: 'What the Page’s own people do',
  owner: 'What owners do',
  twin: 'The twin',
});

export type Home = Readonly<{ answer(ctx: Context, path: string): Promise<void> }>;

/** The console page of the Facebook twin and its forms. */
export function makeHome(world: World, acts: Acts, www: Www, forms: Forms): Home {
  const { nodes, people, pushes } = world;

  const options = (pairs: readonly (readonly [string, string])[]) =>
    pairs.map(([value, label]) => html`<option value="${value}">${label}</option>`);
  function drawField(name: string, { label, kind, optional, choices }: Field): Html {
    const required = optional === true ? html`` : html`required`;
    const pick = (pairs: readonly (readonly [string, string])[]) =>
      html`<select name="${name}" ${required}>
        ${options(pairs)}
      </select>`;
    const none = optional === true ? [['', ''] as const] : [];
    if (kind === 'page')
      return html`<label>${label} ${pick(people.pages().map(({ id, name: title }) => [id, title]))}</label>`;
    if (kind === 'follower')
      return html`<label>${label} ${pick(people.followers().map(({ id, name: title }) => [id, title]))}</label>`;
    if (kind === 'owner')
      return html`<label>${label} ${pick(people.owners().map(({ id, name: title }) => [id, title]))}</label>`;
    if (kind === 'choice')
      return html`<label>${label} ${pick([...none, ...(choices ?? []).map((one) => [one, one] as const)])}</label>`;
    if (kind === 'flag') return html`<label>${label} <input type="checkbox" name="${name}" value="true" /></label>`;
    if (kind === 'long')
      return html`<label>${label} <textarea name="${name}" rows="2" cols="40" ${required}></textarea></label>`;
    return html`<label
      >${label} <input name="${name}" ${kind === 'number' && html`inputmode="numeric"`} ${required}
    /></label>`;
  }
  const drawAct = (name: string, act: Act, token: Html): Html =>
    html`<details>
      <summary>${act.title}</summary>
      <form method="post" action="${HOME}/do/${name}">
        ${token} ${Object.entries(act.fields).map(([field, shape]) => drawField(field, shape))}
        <button>Do it</button>
      </form>
    </details>`;

  const nameOf = (page_id: string, author: string | undefined) =>
    author === undefined ? people.page(page_id)?.name : people.byId(author)?.name;
  function drawComments(): readonly Html[] {
    return nodes
      .list('comment')
      .filter(({ deleted_at }) => deleted_at === undefined)
      .slice(-SHOWN_COMMENTS)
      .toReversed()
      .map(
        (one) =>
          html`<tr>
            <td><small>${wireTime(one.at)}</small></td>
            <td><code>${one.id}</code></td>
            <td>${nameOf(one.page_id, one.author)}</td>
            <td>${one.message} ${one.is_hidden && html`<strong>hidden</strong>`}</td>
          </tr>`,
      );
  }
  function drawMessage(one: Message): Html {
    const other = nodes.get('thread', one.parent_id)?.parent_id;
    const taps = [
      ...buttonsOf(one).filter(({ type }) => type === 'postback'),
      ...((one.quick_replies ?? []) as { title?: unknown; payload?: unknown }[]),
    ];
    return html`<tr>
      <td><small>${wireTime(one.at)}</small></td>
      <td><code>${one.id}</code></td>
      <td>
        ${one.from_page ? html`${people.page(one.page_id)?.name} to ${people.byId(other ?? '')?.name}` : html`${people.byId(other ?? '')?.name} to ${people.page(one.page_id)?.name}`}
      </td>
      <td>
        ${one.text} ${one.pieces.map(({ type }) => html`<em>${type}</em> `)}
        ${taps.map((tap) => html`<code>${tap['title']}: ${tap['payload']}</code> `)}
        <small>${one.from_page && (one.read ? 'read' : one.delivered ? 'delivered' : 'sent')}</small>
      </td>
    </tr>`;
  }
  const drawPush = ({ id, at, kind, state, attempts, status, answer, body, url }: Push): Html =>
    html`<tr>
      <td>${id}</td>
      <td><small>${at}</small></td>
      <td>${kind}<br /><small>${url}</small></td>
      <td>
        ${state} <small>${attempts} attempts, last answer ${status ?? 'none'}</small><br /><small
          >${answer.slice(0, 200)}</small
        >
      </td>
      <td>
        <details>
          <summary>body</summary>
          <code>${body.slice(0, LONGEST_BODY)}</code>
        </details>
      </td>
    </tr>`;

  const table = (heads: readonly string[], rows: readonly Html[]): Html =>
    rows.length === 0
      ? html`<p class="quiet">Nothing yet.</p>`
      : html`<div class="wide">
          <table>
            <tr>
              ${heads.map((head) => html`<th>${head}</th>`)}
            </tr>
            ${rows}
          </table>
        </div>`;

  function show(ctx: Context): void {
    const token = forms.field(ctx);
    const posts = nodes.list('post').filter(({ deleted_at }) => deleted_at === undefined);
    ctx.type = 'html';
    ctx.set('Cache-Control', 'no-store');
    ctx.body = page(
      'Facebook twin',
      html`<h1>Facebook twin</h1>
        <p>
          Connect an account, choose a person in the dialog, and play the others here. Updates go to
          <code>${pushes.callback()}</code>.
        </p>
        ${table(
          ['Page', 'Owners', 'Subscribed to'],
          people.pages().map(
            (one) =>
              html`<tr>
                <td><a href="${HOME}/www/${one.id}">${one.name}</a><br /><code>${one.id}</code></td>
                <td>
                  ${people.owners().flatMap(({ id, name }) => (people.role(id, one.id) === undefined ? [] : [html`${name} `]))}
                </td>
                <td><small>${one.subscription?.fields.join(', ') ?? 'nothing'}</small></td>
              </tr>`,
          ),
        )}
        ${Object.entries(GROUPS).map(
          ([group, title]) =>
            html`<section>
              <h2>${title}</h2>
              ${Object.entries(acts)
                .filter(([name, act]) => act.group === group && name !== 'consent')
                .map(([name, act]) => drawAct(name, act, token))}
            </section>`,
        )}
        <section>
          <h2>Latest posts</h2>
          ${posts
            .toSorted((a, b) => a.at - b.at)
            .slice(-SHOWN_POSTS)
            .toReversed()
            .map(www.draw)}
        </section>
        <section>
          <h2>Latest comments</h2>
          ${table(['Time', 'Id', 'Who', 'Comment'], drawComments())}
        </section>
        <section>
          <h2>Latest messages</h2>
          ${table(['Time', 'Id', 'Between', 'Message'], nodes.list('message').slice(-SHOWN_MESSAGES).toReversed().map(drawMessage))}
        </section>
        <section>
          <h2>Deliveries to the app</h2>
          ${table(['No', 'Time', 'Kind', 'Result', 'Body'], pushes.list(SHOWN_PUSHES).map(drawPush))}
        </section>`,
    );
  }

  return Object.freeze({
    async answer(ctx: Context, path: string) {
      if (path === '') {
        if (ctx.method === 'GET' || ctx.method === 'HEAD') show(ctx);
        else ctx.status = 405;
        return;
      }
      const name = path.slice('do/'.length);
      const act = path.startsWith('do/') && Object.hasOwn(acts, name) ? acts[name] : undefined;
      if (act === undefined || act === acts['consent']) return;
      if (ctx.method !== 'POST') {
        ctx.status = 405;
        return;
      }
      const fields = await forms.read(ctx);
      fields.delete('form_token');
      if ([...fields.keys()].some((key) => fields.getAll(key).length > 1))
        throw new PageError(400, 'A field came twice.');
      await doAct(act, Object.fromEntries(fields));
      pushes.kick();
      ctx.redirect(HOME);
      ctx.status = 303;
    },
  });
}
