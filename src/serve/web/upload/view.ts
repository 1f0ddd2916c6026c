import type { Upload } from '#engine/media/upload-address.ts';
import { isoTime } from '#kernel/clock.ts';
import { messageOf, type ApiError } from '#kernel/errors.ts';
import { attributes, html, type Html } from '#kernel/text/html.ts';
import { sizeOf } from '#kernel/people/size.ts';
import { drawRefusal } from '../kit/form-fields.ts';
import { drawTime } from '../kit/times.ts';

const HEADINGS: Readonly<Record<Upload['state'], string>> = Object.freeze({
  open: 'Upload a file',
  done: 'The file has arrived',
  refused: 'The file cannot be used',
  expired: 'This link has expired',
});

export const headingOf = ({ state }: Upload): string => HEADINGS[state];

/** The form for the file. `refusal` is the error of the last file. */
export function drawForm({ filename, takes, max_bytes, expires_at }: Upload, action: string, refusal?: string): Html {
  const most = sizeOf(max_bytes);
  const kinds = takes.map(({ extension }) => extension.toUpperCase()).join(', ');
  return html`<h1>${HEADINGS.open}</h1>
    <p>A program or assistant needs this file for a post or a message:</p>
    <dl>
      <dt>Called</dt>
      <dd><bdi>${filename}</bdi></dd>
      <dt>Kind</dt>
      <dd>${kinds}</dd>
      <dt>At most</dt>
      <dd>${most}</dd>
      <dt>Until</dt>
      <dd>${drawTime(isoTime(expires_at), 'UTC')}</dd>
    </dl>
    ${drawRefusal(refusal)}
    <form
      method="post"
      enctype="multipart/form-data"
      action="${action}"
      data-most="${max_bytes}"
      data-larger="${`The file is larger than ${most}. ${OTHER}`}"
      data-cut="The connection was lost. Upload the file once more."
    >
      <div class="field drop">
        <label for="field-file">File</label>
        <p class="hint" id="field-file-hint">Choose it, or drop it here. With scripts on, it is sent at once.</p>
        <input ${fileInput(takes, refusal !== undefined)} />
      </div>
      <p class="progress" hidden>
        <progress max="100" value="0" aria-label="Uploaded"></progress>
        <output></output>
      </p>
      <div class="actions"><button class="primary">Upload</button></div>
    </form>
    <p class="quiet">Whoever has this link can upload this one file with it, and nothing else.</p>`;
}

function fileInput(takes: Upload['takes'], refused: boolean) {
  return attributes({
    id: 'field-file',
    name: 'file',
    type: 'file',
    required: true,
    accept: [...takes.map(({ type }) => type), ...extensionsOf(takes)].join(','),
    'aria-describedby': refused ? 'refusal field-file-hint' : 'field-file-hint',
    autofocus: refused,
  });
}

const OTHER = 'Choose another one, or ask for a link that takes it.';

/** Messages about a refused file. The next steps of the error catalogue are for programs. */
export function refusalWords({ code, message, detail }: ApiError): string {
  const most = detail.meta?.['max_bytes'];
  switch (code) {
    case 'validation.field_invalid':
      return `${message} ${OTHER}`;
    case 'validation.body_invalid':
      return 'No file was sent. Choose one first.';
    case 'http.413':
      return `The file is larger than ${sizeOf(typeof most === 'number' ? most : 0)}. ${OTHER}`;
    case 'billing.storage_quota':
      return `${messageOf(code)} Tell whoever gave you this link.`;
    default:
      return `${messageOf(code)} Try again in a moment.`;
  }
}

const BACK = 'Go back to the chat or program that gave you this link';
const AGAIN = 'Ask whoever gave you this link for a new one.';

/** The page of a used upload URL. */
export function drawEnd({ state, filename }: Upload): Html {
  if (state === 'done') {
    return html`<h1><span class="good" aria-hidden="true">✓</span> ${HEADINGS.done}</h1>
      <p><bdi>${filename}</bdi> is uploaded. ${BACK} and say that it is done. You can close this page.</p>`;
  }
  if (state === 'refused') {
    return html`<h1>${HEADINGS.refused}</h1>
      <p>What was uploaded as <bdi>${filename}</bdi> turned out to be something else, or damaged. ${AGAIN}</p>`;
  }
  return html`<h1>${HEADINGS.expired}</h1>
    <p>No file came in time. ${AGAIN}</p>`;
}

/** The page for an unknown upload URL, or for one whose file was deleted. */
export function drawLost({ code }: ApiError, requestId: string): Html {
  return html`<h1>Nothing can be uploaded here</h1>
    <p>${adviceFor(code)}</p>
    <p class="quiet">Error <code>${code}</code>, request <code>${requestId}</code></p>`;
}

function adviceFor(code: ApiError['code']): string {
  if (code === 'auth.invalid_secret') return 'The address may be incomplete: open it exactly as you received it.';
  if (code === 'media.not_found') return `What it was for has been deleted. ${AGAIN}`;
  return `${messageOf(code)} Try again in a moment.`;
}

const extensionsOf = (takes: Upload['takes']) => takes.map(({ extension }) => `.${extension}`);
