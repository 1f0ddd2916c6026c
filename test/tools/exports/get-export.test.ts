import { MINUTE, DAY } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import { it as test } from '../../harness/world.ts';
import { call, expectRefusal } from '../../harness/calls/operations.ts';
import { download, exportWorld, rowsOf } from '../../engine/exports/world.ts';

const it = test.extend('opened', () => exportWorld());

describe('get_export', () => {
  it('shows how far an export is, and where its files are', async ({ opened: { world, accountId, finished } }) => {
    const done = await finished();
    expect(done).toMatchObject({
      account_id: accountId,
      status: 'completed',
      progress: 100,
      total_videos: 3,
      processed_videos: 3,
      error: null,
      completed_at: '2026-01-15T09:00:00.000Z',
      expires_at: '2026-04-15T09:00:00.000Z',
    });
    expect([done.report_url, done.download_url]).toEqual([done.result.report_url, done.result.excel_url]);
    const { ok, body } = await call(world, 'get_export', { export_id: done.id });
    expect([ok, body.status]).toEqual([true, 'completed']);
    const [headers, ...rows] = await rowsOf(done);
    expect(headers!.slice(0, 10)).toEqual([
      'Published (UTC)',
      'Title',
      'Text',
      'Kind',
      'Views',
      'Likes',
      'Comments',
      'Shares',
      'Saves',
      'Quotes',
    ]);
    expect(rows.map((row) => row.slice(2, 10))).toEqual([
      ['Post 0', 'image', 0, 0, 1, 2, 3, 4],
      ['Post 1', 'image', 100, 1, 1, 2, 3, 4],
      ['Post 2', 'image', 200, 2, 1, 2, 3, 4],
    ]);
    const report = await download(done.report_url);
    const page = await report.text();
    expect([report.status, report.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page).toContain('<h1>ANN on facebook</h1>');
    expect(page).toContain('Posts with the most interactions');
    expect(page).not.toMatch(/<script|https?:\/\/(?!told\.test\/p)/);
  });

  it('gives files to whoever has their address, for 15 minutes, and nothing else', async ({ opened }) => {
    const { world, finished } = opened;
    const { id, result } = await finished();
    const [sheet, report] = [result.excel_url, result.report_url] as [string, string];
    const saved = await download(sheet);
    expect(saved.headers.get('content-disposition')).toBe('attachment; filename="facebook-2026-01-15.xlsx"');
    expect(saved.headers.get('cache-control')).toBe('private, no-store');
    expect((await download(report)).headers.get('content-security-policy')).toMatch(
      /^sandbox [^;]+; default-src 'none'; style-src 'sha256-/,
    );
    const [, , , , token = ''] = sheet.split('/');
    const [claims = '', signature = ''] = token.split('.');
    const altered = Buffer.from(Buffer.from(claims, 'base64url').toString().replace('xlsx', 'html')).toString(
      'base64url',
    );
    for (const wrong of [`${altered}.${signature}`, `${claims}.`, 'nothing', `${claims}.${signature}x`])
      expect((await download(`${world.root}/files/${wrong}/a.html`)).status).toBe(403);
    world.clock.move(15 * MINUTE);
    expect((await download(sheet)).status).toBe(403);
    const fresh = (await world.rest(`GET /v1/exports/${id}`)).body.result.excel_url;
    expect((await download(fresh)).status).toBe(200);
  });

  it('refuses those of others, and those that have expired', async ({ opened: { world, finished } }) => {
    const { id: export_id } = await finished();
    const { key } = await world.stranger();
    await expectRefusal(call(world, 'get_export', { export_id }, { key }), 'resource.not_found');
    await world.pass(90 * DAY);
    await expectRefusal(call(world, 'get_export', { export_id }), 'resource.gone', { id: export_id });
    expect(await world.product.store.db.selectFrom('export_posts').selectAll().execute()).toEqual([]);
  });
});
