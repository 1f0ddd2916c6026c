import { zaloSubject } from '#test/platforms/conformance/subjects/zalo.ts';
import { publishesThroughKills } from '../posts.ts';

publishesThroughKills(zaloSubject);
