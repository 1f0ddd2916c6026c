import { zaloSubject } from '../../platforms/conformance/zalo.ts';
import { publishesThroughKills } from './posts.ts';

publishesThroughKills(zaloSubject);
