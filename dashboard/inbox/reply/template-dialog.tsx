import type { JSX } from 'preact';
import { Dialog } from '../../lib/frame/dialog.tsx';
import { call } from '../../lib/shell.tsx';
import { inbox } from '../inbox.ts';
import type { Item } from '../list/items.ts';
import { slotOf, titleOf } from './filling.ts';
import { makeTemplates } from './templates.ts';
import { Trouble } from '../../lib/parts.tsx';

const templates = makeTemplates(call);

/** Opens the approved templates of the account that the conversation belongs to. */
export const { open } = templates;

/** The dialog to choose an approved template, fill it in and send it. */
export function TemplateDialog({ item }: Readonly<{ item: Item }>): JSX.Element | null {
  if (!templates.isFor(item.key)) return null;
  const { problem, chosen, lack } = templates;
  const list = templates.templates.value;
  return (
    <Dialog title="Send a template" onClose={templates.close}>
      {problem.value !== undefined && <Trouble text={problem.value} again={templates.again} />}
      {list === undefined && problem.value === undefined && <p role="status">Loading …</p>}
      {list?.length === 0 && (
        <p>This account has no approved template. Create one with create_whatsapp_template, or in WhatsApp Manager.</p>
      )}
      {list !== undefined && list.length > 0 && (
        <label class="field">
          Template
          <select
            value={chosen.value?.id ?? ''}
            onChange={({ currentTarget }) => templates.choose(currentTarget.value)}
          >
            <option value="">Choose one</option>
            {list.map(({ id, name, language }) => (
              <option key={id} value={id}>
                {name} ({language})
              </option>
            ))}
          </select>
        </label>
      )}
      {lack.value !== undefined && <p class="note">{lack.value}</p>}
      {chosen.value !== undefined && lack.value === undefined && <Filling item={item} />}
    </Dialog>
  );
}

function Filling({ item }: Readonly<{ item: Item }>): JSX.Element {
  const { variables, values, words, isFilled } = templates;
  function send(): void {
    const to = inbox.threads.of(item.key).peek().detail?.conversation?.participant_id;
    const request = to === undefined ? undefined : templates.requestTo(to);
    if (request === undefined || !isFilled.peek()) return;
    void inbox.send(item, words.peek(), request);
    templates.close();
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {variables.value.map((variable) => (
        <label class="field" key={slotOf(variable)}>
          {titleOf(variable)}
          <input
            required
            value={values.value.get(slotOf(variable)) ?? ''}
            onInput={({ currentTarget }) => templates.fill(slotOf(variable), currentTarget.value)}
          />
        </label>
      ))}
      <p class="bubble ours said">
        <bdi>{words.value}</bdi>
      </p>
      <div class="actions">
        <button class="primary" aria-disabled={!isFilled.value}>
          Send the template
        </button>
        <button type="button" onClick={templates.close}>
          Cancel
        </button>
      </div>
    </form>
  );
}
