import type { Media } from '#engine/media/media.ts';
import type { Log } from '#kernel/log.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { fileBytesOf } from '../../http/multipart.ts';
import { presentError } from '../../invoke.ts';
import { waitHeader } from '../../refusal-headers.ts';
import { sendOn, sendPage } from '../kit/html-page.ts';
import { uploadScript } from './script.ts';
import { drawEnd, drawForm, drawLost, headingOf, refusalWords } from './view.ts';

export type UploadPageDeps = Readonly<{ media: Pick<Media, 'uploadAt' | 'put'>; log: Log }>;

/** The page of an upload URL. Its form works without scripts. */
export function makeUploadPage({ media, log }: UploadPageDeps): Pick<Route, 'GET' | 'POST'> {
  /** Shows the form, or why there is none. `refused` is the error of a refused file. */
  async function show(ctx: RequestContext, token: string, refused?: unknown): Promise<void> {
    try {
      const upload = await media.uploadAt(token);
      const isOpen = upload.state === 'open';
      const refusal = refused === undefined ? undefined : presentError(refused, undefined, ctx.state.requestId, log);
      if (refusal) ctx.set(waitHeader(refusal));
      const heading = headingOf(upload);
      sendPage(ctx, {
        status: refusal?.status ?? (upload.state === 'expired' ? 410 : 200),
        title: refusal && isOpen ? `Error: ${heading}` : heading,
        body: isOpen ? drawForm(upload, ctx.path, refusal && refusalWords(refusal)) : drawEnd(upload),
        ...(isOpen && { forms: 'own', script: uploadScript.address }),
      });
    } catch (thrown) {
      const refusal = presentError(thrown, undefined, ctx.state.requestId, log);
      ctx.set(waitHeader(refusal));
      sendPage(ctx, {
        status: refusal.status,
        title: 'Error',
        body: drawLost(refusal, ctx.state.requestId),
      });
    }
  }

  return Object.freeze<Pick<Route, 'GET' | 'POST'>>({
    GET: (ctx, { token }) => show(ctx, token!),
    async POST(ctx, { token }) {
      try {
        const { max_bytes } = await media.uploadAt(token!);
        await media.put(token!, fileBytesOf(ctx.req, max_bytes), { atMost: ctx.request.length });
      } catch (thrown) {
        return show(ctx, token!, thrown);
      }
      // Redirects, so that reloading the page does not send the file again.
      sendOn(ctx, ctx.path);
    },
  });
}
