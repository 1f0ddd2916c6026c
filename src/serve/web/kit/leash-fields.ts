import type { ApiError } from '#kernel/errors.ts';
import { CAPPED, PRESETS, type CappedAct, type Policy, type Preset } from '#kernel/limits/leash.ts';
import { attributes, html, type Html } from '#kernel/text/html.ts';
import { drawCheckbox, drawField, drawRadio } from './form-fields.ts';
import { CAP, CAP_LABELS, type BrandView } from './leash-form.ts';

/** What each preset allows an app to do, in the words of the person who chooses. */
const WORDS: Readonly<Record<Preset, readonly [title: string, meaning: string]>> = Object.freeze({
  read: ['Only read', 'It sees posts, messages, comments and numbers, and changes nothing.'],
  draft: ['Prepare drafts', 'It also writes drafts and uploads media. Nothing leaves the workspace.'],
  ask: ['Ask me first', 'It may ask to publish, send, answer, hide or delete. Nothing happens before you agree to it.'],
  answer: [
    'Answer by itself',
    'It answers each message, comment, mention or review once, and likes and hides comments, so many a day. It asks before it writes to anybody else, publishes or deletes.',
  ],
  full: [
    'Everything',
    'It publishes, sends and deletes by itself. Unless it is limited to some brands, it also changes webhooks, brands and API keys, and can delete your whole workspace.',
  ],
});

export const PRESET_TITLES = Object.freeze(PRESETS.map((preset) => [preset, WORDS[preset][0]] as const));

/** The name of a preset. */
export function titleOfPreset(preset: Preset): string {
  return WORDS[preset][0];
}

/** Five choices for what a connection may do, and a choice of the brands it is limited to. */
export function drawLeashFields(brands: readonly BrandView[], chosen: Pick<Policy, 'preset' | 'brand_ids'>): Html {
  const { brand_ids: ticked = [] } = chosen;
  // Sends deleted brands back too: if only they were ticked, an empty list would mean no limit.
  const deleted = ticked.filter((id) => !brands.some((brand) => brand.id === id));
  return html`<fieldset>
      <legend>It may</legend>
      ${PRESETS.map((preset) => drawRadio('preset', preset, ...WORDS[preset], preset === chosen.preset))}
    </fieldset>
    <details ${attributes({ open: ticked.length > 0 })}>
      <summary>Only some brands</summary>
      <fieldset>
        <legend>Brands <small>(none ticked = all brands)</small></legend>
        ${brands.map(({ id, name }) => drawCheckbox('brand_ids', id, name, '', ticked.includes(id)))}
        ${deleted.map((id) => drawCheckbox('brand_ids', id, `${id} (deleted)`, '', true))}
      </fieldset>
    </details>`;
}

/** How many acts a day a connection that acts on its own may do before it has to ask. */
export function drawCapFields(value: (act: CappedAct) => string, refusal: ApiError | undefined): Html {
  const wrong = refusal?.detail.meta?.['field'];
  return html`<details ${attributes({ open: typeof wrong === 'string' && wrong.startsWith(CAP) })}>
    <summary>How many a day</summary>
    <p class="hint">For what it does by itself. Beyond these limits it asks, until midnight UTC.</p>
    ${CAPPED.map((act) =>
      drawField({
        name: `${CAP}${act}`,
        label: CAP_LABELS[act],
        value: value(act),
        maxlength: 5,
        wrong: wrong === `${CAP}${act}`,
      }),
    )}
  </details>`;
}

/** The password field for a person who allows more than before. */
export function drawPasswordToWiden(wrong: boolean): Html {
  return drawField({
    name: 'password',
    label: 'Your password',
    type: 'password',
    hint: 'Needed if you allow more than before.',
    autocomplete: 'current-password',
    required: false,
    wrong,
  });
}
