import type { Bubble, MessageButton } from '../messages.ts';

/** Builds the Send API form of a message; `file` is the uploaded attachment or the URL to fetch it from. */
export function contentOf(
  bubble: Bubble,
  file: Readonly<{ attachment_id: string } | { url: string }> | null,
): Readonly<Record<string, unknown>> {
  if (bubble.kind === 'text') return textOf(bubble);
  if (bubble.kind === 'cards') return template({ template_type: 'generic', elements: bubble.cards.map(elementOf) });
  const { platform_attachment_id: attachment_id, url } = bubble;
  const payload = attachment_id === undefined ? (file ?? { url }) : { attachment_id };
  return { attachment: { type: bubble.type, payload } };
}

function textOf({ text: words, buttons, quick_replies }: Extract<Bubble, { kind: 'text' }>) {
  const text = words.toWellFormed();
  if (buttons !== undefined && buttons.length > 0) {
    return template({ template_type: 'button', text, buttons: buttons.map(buttonOf) });
  }
  if (quick_replies === undefined || quick_replies.length === 0) return { text };
  return {
    text,
    quick_replies: quick_replies.map(({ title, payload = title }) => ({ content_type: 'text', title, payload })),
  };
}

function elementOf({ title, subtitle, image_url, buttons = [] }: Extract<Bubble, { kind: 'cards' }>['cards'][number]) {
  return { title, subtitle, image_url, ...(buttons.length > 0 && { buttons: buttons.map(buttonOf) }) };
}

/** Without a payload the title is sent as payload, because the Send API requires one. */
function buttonOf({ type, title, payload = title, url }: MessageButton) {
  return type === 'url' ? { type: 'web_url', title, url } : { type: 'postback', title, payload };
}

const template = (payload: Readonly<Record<string, unknown>>) => ({ attachment: { type: 'template', payload } });
