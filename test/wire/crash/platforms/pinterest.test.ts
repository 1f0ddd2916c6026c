import { pinterestSubject } from '#test/platforms/conformance/subjects/pinterest.ts';
import { publishesThroughKills } from '../posts.ts';

publishesThroughKills(pinterestSubject);
