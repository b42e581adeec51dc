-- Full-text indexes. Each reads its table through a view that cuts Chinese, Japanese and Korean into pairs, separates letters
-- from digits, and makes words of wide characters and emoji. `db/fts_index.py` writes the same text.
CREATE VIEW memories_words AS SELECT seq, (SELECT CASE WHEN length(whole.t) <= 20000
       AND (whole.t GLOB '*[A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿ][0-9]*' OR whole.t GLOB '*[0-9][A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿ]*') THEN (
      WITH RECURSIVE step (done, rest, ahead) AS (
        SELECT '', whole.t, ltrim(whole.t, ' etaoinsrhldcumfpgwybvkxjqz.,-_/:"''`()
	!#$%&*+;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^{|}~')
        UNION ALL
        SELECT done || substr(rest, 1, length(rest) - length(ahead))
            || iif(ahead GLOB '[0-9]*' AND substr(done || substr(rest, 1, length(rest) - length(ahead)), -1) GLOB '[A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿ]', ' ', '')
            || substr(ahead, 1, length(ahead) - length(iif(ahead GLOB '[0-9]*', ltrim(ahead, '0123456789'), substr(ahead, 2)))) || iif(ahead GLOB '[0-9]*' AND iif(ahead GLOB '[0-9]*', ltrim(ahead, '0123456789'), substr(ahead, 2)) GLOB '[A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿ]*', ' ', ''),
          iif(ahead GLOB '[0-9]*', ltrim(ahead, '0123456789'), substr(ahead, 2)), ltrim(iif(ahead GLOB '[0-9]*', ltrim(ahead, '0123456789'), substr(ahead, 2)), ' etaoinsrhldcumfpgwybvkxjqz.,-_/:"''`()
	!#$%&*+;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^{|}~')
          FROM step WHERE ahead <> '')
      SELECT done || rest FROM step WHERE ahead = '') ELSE whole.t END FROM (SELECT CASE WHEN length(CAST(source.content AS BLOB)) = length(source.content) THEN source.content ELSE (SELECT replace(replace(replace(replace(replace(replace(replace(replace(CASE WHEN usual.t GLOB '*[⺀-𳎿]*' THEN (
      WITH RECURSIVE
        place (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM place WHERE at < 32),
        piece (number, part) AS (
          SELECT 0, substr(usual.t, 1, 32 + 1)
          UNION ALL
          SELECT number + 1, substr(usual.t, (number + 1) * 32 + 1, 32 + 1)
            FROM piece WHERE length(part) > 32)
      SELECT group_concat(CASE WHEN two GLOB '[々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿][々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿]' THEN ' ' || two || ' '
                    WHEN two GLOB '[々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿]*' THEN ' ' || substr(two, 1, 1) || ' '
                    ELSE substr(two, 1, 1) END, '')
        FROM (SELECT substr(part, at, 2) AS two FROM piece CROSS JOIN place WHERE at <= length(part))) ELSE usual.t END, 'ß', 'ss'), 'ẞ', 'ss'), 'ё', 'е'), 'Ё', 'Е'), 'œ', 'oe'), 'Œ', 'OE'), 'æ', 'ae'), 'Æ', 'AE') FROM (SELECT CASE WHEN source.content GLOB '*[²³µ¹⁰-₟ℂ-⓿㈀-㏿ﬀ-ﬆ０-９Ａ-Ｚａ-ｚｦ-ﾟ⌚⌛⏩-⏺☀-➿⬅-⬇⬛⬜⭐⭕🇦-🇿🌀-🫿]*' THEN (
      WITH RECURSIVE
        place (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM place WHERE at < 32),
        piece (number, part) AS (
          SELECT 0, substr(source.content, 1, 32 + 1)
          UNION ALL
          SELECT number + 1, substr(source.content, (number + 1) * 32 + 1, 32 + 1)
            FROM piece WHERE length(part) > 32)
      SELECT group_concat(CASE WHEN two GLOB '[ｶ-ﾎ]ﾞ' THEN char(unicode(rtrim(substr(forms, instr(forms, substr(two, 1, 1)) + 1, 3))) + 1)
                 WHEN two GLOB '[ﾊ-ﾎ]ﾟ' THEN char(unicode(rtrim(substr(forms, instr(forms, substr(two, 1, 1)) + 1, 3))) + 2)
                 WHEN two = 'ｳﾞ' THEN 'ヴ'
                 WHEN two GLOB '[ﾞﾟ]*' THEN ''
                 WHEN two GLOB '[²-³µ¹⁰-ⁱ⁴-⁹ⁿ-₉ℂ-℃℅-ℇ℉-ℓℕ-№ℙ-ℝℤΩℨK-ℭℯ-ℱℳ-ℹℽ-ℿⅅ-ⅉⅠ-ⅦⅨ-ⅶⅸ-ⅿ①-⑼⒈-⓪㈀-㈜㈠-㉃㉑-㉻㊀-㋋㋐-㋾㌃㌅-㌆㌉-㌋㌎-㌑㌔㌘㌜-㌞㌢-㌪㌬㌯-㌱㌵㌷-㌼㌾-㍂㍄-㍆㍉㍋㍎-㍐㍒-㍓㍕㍗-㍶㍻-㍾㎀-㎈㎊-㎧㎩-㎭㎰-㏁㏃-㏅㏇-㏗㏙-㏝㏠-㏾ﬀ-ﬆ０-９Ａ-Ｚａ-ｚｦ-ﾝ]*' THEN rtrim(substr(forms, instr(forms, substr(two, 1, 1)) + 1, 3))
                 WHEN two GLOB '[⌚⌛⏩-⏺☀-➿⬅-⬇⬛⬜⭐⭕🇦-🇿🌀-🫿]*' THEN printf(' 00%d ', unicode(two))
                 ELSE substr(two, 1, 1) END, '')
        FROM (SELECT substr(part, at, 2) AS two FROM piece CROSS JOIN place WHERE at <= length(part)), (SELECT '²2  ³3  µμ  ¹1  ⁰0  ⁱi  ⁴4  ⁵5  ⁶6  ⁷7  ⁸8  ⁹9  ⁿn  ₀0  ₁1  ₂2  ₃3  ₄4  ₅5  ₆6  ₇7  ₈8  ₉9  ℂC  ℃°C ℅c/o℆c/uℇƐ  ℉°F ℊg  ℋH  ℌH  ℍH  ℎh  ℏħ  ℐI  ℑI  ℒL  ℓl  ℕN  №No ℙP  ℚQ  ℛR  ℜR  ℝR  ℤZ  ΩΩ  ℨZ  KK  ÅÅ  ℬB  ℭC  ℯe  ℰE  ℱF  ℳM  ℴo  ℵא  ℶב  ℷג  ℸד  ℹi  ℽγ  ℾΓ  ℿΠ  ⅅD  ⅆd  ⅇe  ⅈi  ⅉj  ⅠI  ⅡII ⅢIIIⅣIV ⅤV  ⅥVI ⅦVIIⅨIX ⅩX  ⅪXI ⅫXIIⅬL  ⅭC  ⅮD  ⅯM  ⅰi  ⅱii ⅲiiiⅳiv ⅴv  ⅵvi ⅶviiⅸix ⅹx  ⅺxi ⅻxiiⅼl  ⅽc  ⅾd  ⅿm  ①1  ②2  ③3  ④4  ⑤5  ⑥6  ⑦7  ⑧8  ⑨9  ⑩10 ⑪11 ⑫12 ⑬13 ⑭14 ⑮15 ⑯16 ⑰17 ⑱18 ⑲19 ⑳20 ⑴(1)⑵(2)⑶(3)⑷(4)⑸(5)⑹(6)⑺(7)⑻(8)⑼(9)⒈1. ⒉2. ⒊3. ⒋4. ⒌5. ⒍6. ⒎7. ⒏8. ⒐9. ⒑10.⒒11.⒓12.⒔13.⒕14.⒖15.⒗16.⒘17.⒙18.⒚19.⒛20.⒜(a)⒝(b)⒞(c)⒟(d)⒠(e)⒡(f)⒢(g)⒣(h)⒤(i)⒥(j)⒦(k)⒧(l)⒨(m)⒩(n)⒪(o)⒫(p)⒬(q)⒭(r)⒮(s)⒯(t)⒰(u)⒱(v)⒲(w)⒳(x)⒴(y)⒵(z)ⒶA  ⒷB  ⒸC  ⒹD  ⒺE  ⒻF  ⒼG  ⒽH  ⒾI  ⒿJ  ⓀK  ⓁL  ⓂM  ⓃN  ⓄO  ⓅP  ⓆQ  ⓇR  ⓈS  ⓉT  ⓊU  ⓋV  ⓌW  ⓍX  ⓎY  ⓏZ  ⓐa  ⓑb  ⓒc  ⓓd  ⓔe  ⓕf  ⓖg  ⓗh  ⓘi  ⓙj  ⓚk  ⓛl  ⓜm  ⓝn  ⓞo  ⓟp  ⓠq  ⓡr  ⓢs  ⓣt  ⓤu  ⓥv  ⓦw  ⓧx  ⓨy  ⓩz  ⓪0  ㈀(ᄀ)㈁(ᄂ)㈂(ᄃ)㈃(ᄅ)㈄(ᄆ)㈅(ᄇ)㈆(ᄉ)㈇(ᄋ)㈈(ᄌ)㈉(ᄎ)㈊(ᄏ)㈋(ᄐ)㈌(ᄑ)㈍(ᄒ)㈎(가)㈏(나)㈐(다)㈑(라)㈒(마)㈓(바)㈔(사)㈕(아)㈖(자)㈗(차)㈘(카)㈙(타)㈚(파)㈛(하)㈜(주)㈠(一)㈡(二)㈢(三)㈣(四)㈤(五)㈥(六)㈦(七)㈧(八)㈨(九)㈩(十)㈪(月)㈫(火)㈬(水)㈭(木)㈮(金)㈯(土)㈰(日)㈱(株)㈲(有)㈳(社)㈴(名)㈵(特)㈶(財)㈷(祝)㈸(労)㈹(代)㈺(呼)㈻(学)㈼(監)㈽(企)㈾(資)㈿(協)㉀(祭)㉁(休)㉂(自)㉃(至)㉑21 ㉒22 ㉓23 ㉔24 ㉕25 ㉖26 ㉗27 ㉘28 ㉙29 ㉚30 ㉛31 ㉜32 ㉝33 ㉞34 ㉟35 ㉠ᄀ  ㉡ᄂ  ㉢ᄃ  ㉣ᄅ  ㉤ᄆ  ㉥ᄇ  ㉦ᄉ  ㉧ᄋ  ㉨ᄌ  ㉩ᄎ  ㉪ᄏ  ㉫ᄐ  ㉬ᄑ  ㉭ᄒ  ㉮가  ㉯나  ㉰다  ㉱라  ㉲마  ㉳바  ㉴사  ㉵아  ㉶자  ㉷차  ㉸카  ㉹타  ㉺파  ㉻하  ㊀一  ㊁二  ㊂三  ㊃四  ㊄五  ㊅六  ㊆七  ㊇八  ㊈九  ㊉十  ㊊月  ㊋火  ㊌水  ㊍木  ㊎金  ㊏土  ㊐日  ㊑株  ㊒有  ㊓社  ㊔名  ㊕特  ㊖財  ㊗祝  ㊘労  ㊙秘  ㊚男  ㊛女  ㊜適  ㊝優  ㊞印  ㊟注  ㊠項  ㊡休  ㊢写  ㊣正  ㊤上  ㊥中  ㊦下  ㊧左  ㊨右  ㊩医  ㊪宗  ㊫学  ㊬監  ㊭企  ㊮資  ㊯協  ㊰夜  ㊱36 ㊲37 ㊳38 ㊴39 ㊵40 ㊶41 ㊷42 ㊸43 ㊹44 ㊺45 ㊻46 ㊼47 ㊽48 ㊾49 ㊿50 ㋀1月 ㋁2月 ㋂3月 ㋃4月 ㋄5月 ㋅6月 ㋆7月 ㋇8月 ㋈9月 ㋉10月㋊11月㋋12月㋐ア  ㋑イ  ㋒ウ  ㋓エ  ㋔オ  ㋕カ  ㋖キ  ㋗ク  ㋘ケ  ㋙コ  ㋚サ  ㋛シ  ㋜ス  ㋝セ  ㋞ソ  ㋟タ  ㋠チ  ㋡ツ  ㋢テ  ㋣ト  ㋤ナ  ㋥ニ  ㋦ヌ  ㋧ネ  ㋨ノ  ㋩ハ  ㋪ヒ  ㋫フ  ㋬ヘ  ㋭ホ  ㋮マ  ㋯ミ  ㋰ム  ㋱メ  ㋲モ  ㋳ヤ  ㋴ユ  ㋵ヨ  ㋶ラ  ㋷リ  ㋸ル  ㋹レ  ㋺ロ  ㋻ワ  ㋼ヰ  ㋽ヱ  ㋾ヲ  ㌃アール㌅インチ㌆ウォン㌉オンス㌊オーム㌋カイリ㌎ガロン㌏ガンマ㌐ギガ ㌑ギニー㌔キロ ㌘グラム㌜ケース㌝コルナ㌞コーポ㌢センチ㌣セント㌤ダース㌥デシ ㌦ドル ㌧トン ㌨ナノ ㌩ノット㌪ハイツ㌬パーツ㌯ピクル㌰ピコ ㌱ビル ㌵フラン㌷ペソ ㌸ペニヒ㌹ヘルツ㌺ペンス㌻ページ㌼ベータ㌾ボルト㌿ホン ㍀ポンド㍁ホール㍂ホーン㍄マイル㍅マッハ㍆マルク㍉ミリ ㍋メガ ㍎ヤード㍏ヤール㍐ユアン㍒リラ ㍓ルピー㍕レム ㍗ワット㍘0点 ㍙1点 ㍚2点 ㍛3点 ㍜4点 ㍝5点 ㍞6点 ㍟7点 ㍠8点 ㍡9点 ㍢10点㍣11点㍤12点㍥13点㍦14点㍧15点㍨16点㍩17点㍪18点㍫19点㍬20点㍭21点㍮22点㍯23点㍰24点㍱hPa㍲da ㍳AU ㍴bar㍵oV ㍶pc ㍻平成 ㍼昭和 ㍽大正 ㍾明治 ㎀pA ㎁nA ㎂μA ㎃mA ㎄kA ㎅KB ㎆MB ㎇GB ㎈cal㎊pF ㎋nF ㎌μF ㎍μg ㎎mg ㎏kg ㎐Hz ㎑kHz㎒MHz㎓GHz㎔THz㎕μl ㎖ml ㎗dl ㎘kl ㎙fm ㎚nm ㎛μm ㎜mm ㎝cm ㎞km ㎟mm2㎠cm2㎡m2 ㎢km2㎣mm3㎤cm3㎥m3 ㎦km3㎧m∕s㎩Pa ㎪kPa㎫MPa㎬GPa㎭rad㎰ps ㎱ns ㎲μs ㎳ms ㎴pV ㎵nV ㎶μV ㎷mV ㎸kV ㎹MV ㎺pW ㎻nW ㎼μW ㎽mW ㎾kW ㎿MW ㏀kΩ ㏁MΩ ㏃Bq ㏄cc ㏅cd ㏇Co.㏈dB ㏉Gy ㏊ha ㏋HP ㏌in ㏍KK ㏎KM ㏏kt ㏐lm ㏑ln ㏒log㏓lx ㏔mb ㏕mil㏖mol㏗PH ㏙PPM㏚PR ㏛sr ㏜Sv ㏝Wb ㏠1日 ㏡2日 ㏢3日 ㏣4日 ㏤5日 ㏥6日 ㏦7日 ㏧8日 ㏨9日 ㏩10日㏪11日㏫12日㏬13日㏭14日㏮15日㏯16日㏰17日㏱18日㏲19日㏳20日㏴21日㏵22日㏶23日㏷24日㏸25日㏹26日㏺27日㏻28日㏼29日㏽30日㏾31日ﬀff ﬁfi ﬂfl ﬃffiﬄfflﬅst ﬆst ０0  １1  ２2  ３3  ４4  ５5  ６6  ７7  ８8  ９9  ＡA  ＢB  ＣC  ＤD  ＥE  ＦF  ＧG  ＨH  ＩI  ＪJ  ＫK  ＬL  ＭM  ＮN  ＯO  ＰP  ＱQ  ＲR  ＳS  ＴT  ＵU  ＶV  ＷW  ＸX  ＹY  ＺZ  ａa  ｂb  ｃc  ｄd  ｅe  ｆf  ｇg  ｈh  ｉi  ｊj  ｋk  ｌl  ｍm  ｎn  ｏo  ｐp  ｑq  ｒr  ｓs  ｔt  ｕu  ｖv  ｗw  ｘx  ｙy  ｚz  ｦヲ  ｧァ  ｨィ  ｩゥ  ｪェ  ｫォ  ｬャ  ｭュ  ｮョ  ｯッ  ｰー  ｱア  ｲイ  ｳウ  ｴエ  ｵオ  ｶカ  ｷキ  ｸク  ｹケ  ｺコ  ｻサ  ｼシ  ｽス  ｾセ  ｿソ  ﾀタ  ﾁチ  ﾂツ  ﾃテ  ﾄト  ﾅナ  ﾆニ  ﾇヌ  ﾈネ  ﾉノ  ﾊハ  ﾋヒ  ﾌフ  ﾍヘ  ﾎホ  ﾏマ  ﾐミ  ﾑム  ﾒメ  ﾓモ  ﾔヤ  ﾕユ  ﾖヨ  ﾗラ  ﾘリ  ﾙル  ﾚレ  ﾛロ  ﾜワ  ﾝン  ' AS forms)) ELSE source.content END AS t) AS usual) END AS t) AS whole) AS content FROM memories AS source;

CREATE VIRTUAL TABLE memories_fts USING fts5(content, content = 'memories_words', content_rowid = 'seq', tokenize = 'porter unicode61');

CREATE TRIGGER memories_bd BEFORE DELETE ON memories BEGIN INSERT INTO memories_fts (memories_fts, rowid, content) SELECT 'delete', seq, content FROM memories_words WHERE seq = old.seq; END;

CREATE TRIGGER memories_ai AFTER INSERT ON memories BEGIN INSERT INTO memories_fts (rowid, content) SELECT seq, content FROM memories_words WHERE seq = new.seq; END;

CREATE TRIGGER memories_bu BEFORE UPDATE OF content ON memories BEGIN INSERT INTO memories_fts (memories_fts, rowid, content) SELECT 'delete', seq, content FROM memories_words WHERE seq = old.seq; END;

CREATE TRIGGER memories_au AFTER UPDATE OF content ON memories BEGIN INSERT INTO memories_fts (rowid, content) SELECT seq, content FROM memories_words WHERE seq = new.seq; END;

CREATE VIEW memory_hints_words AS SELECT seq, (SELECT CASE WHEN length(whole.t) <= 20000
       AND (whole.t GLOB '*[A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿ][0-9]*' OR whole.t GLOB '*[0-9][A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿ]*') THEN (
      WITH RECURSIVE step (done, rest, ahead) AS (
        SELECT '', whole.t, ltrim(whole.t, ' etaoinsrhldcumfpgwybvkxjqz.,-_/:"''`()
	!#$%&*+;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^{|}~')
        UNION ALL
        SELECT done || substr(rest, 1, length(rest) - length(ahead))
            || iif(ahead GLOB '[0-9]*' AND substr(done || substr(rest, 1, length(rest) - length(ahead)), -1) GLOB '[A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿ]', ' ', '')
            || substr(ahead, 1, length(ahead) - length(iif(ahead GLOB '[0-9]*', ltrim(ahead, '0123456789'), substr(ahead, 2)))) || iif(ahead GLOB '[0-9]*' AND iif(ahead GLOB '[0-9]*', ltrim(ahead, '0123456789'), substr(ahead, 2)) GLOB '[A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿ]*', ' ', ''),
          iif(ahead GLOB '[0-9]*', ltrim(ahead, '0123456789'), substr(ahead, 2)), ltrim(iif(ahead GLOB '[0-9]*', ltrim(ahead, '0123456789'), substr(ahead, 2)), ' etaoinsrhldcumfpgwybvkxjqz.,-_/:"''`()
	!#$%&*+;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^{|}~')
          FROM step WHERE ahead <> '')
      SELECT done || rest FROM step WHERE ahead = '') ELSE whole.t END FROM (SELECT CASE WHEN length(CAST(source.hint AS BLOB)) = length(source.hint) THEN source.hint ELSE (SELECT replace(replace(replace(replace(replace(replace(replace(replace(CASE WHEN usual.t GLOB '*[⺀-𳎿]*' THEN (
      WITH RECURSIVE
        place (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM place WHERE at < 32),
        piece (number, part) AS (
          SELECT 0, substr(usual.t, 1, 32 + 1)
          UNION ALL
          SELECT number + 1, substr(usual.t, (number + 1) * 32 + 1, 32 + 1)
            FROM piece WHERE length(part) > 32)
      SELECT group_concat(CASE WHEN two GLOB '[々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿][々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿]' THEN ' ' || two || ' '
                    WHEN two GLOB '[々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿]*' THEN ' ' || substr(two, 1, 1) || ' '
                    ELSE substr(two, 1, 1) END, '')
        FROM (SELECT substr(part, at, 2) AS two FROM piece CROSS JOIN place WHERE at <= length(part))) ELSE usual.t END, 'ß', 'ss'), 'ẞ', 'ss'), 'ё', 'е'), 'Ё', 'Е'), 'œ', 'oe'), 'Œ', 'OE'), 'æ', 'ae'), 'Æ', 'AE') FROM (SELECT CASE WHEN source.hint GLOB '*[²³µ¹⁰-₟ℂ-⓿㈀-㏿ﬀ-ﬆ０-９Ａ-Ｚａ-ｚｦ-ﾟ⌚⌛⏩-⏺☀-➿⬅-⬇⬛⬜⭐⭕🇦-🇿🌀-🫿]*' THEN (
      WITH RECURSIVE
        place (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM place WHERE at < 32),
        piece (number, part) AS (
          SELECT 0, substr(source.hint, 1, 32 + 1)
          UNION ALL
          SELECT number + 1, substr(source.hint, (number + 1) * 32 + 1, 32 + 1)
            FROM piece WHERE length(part) > 32)
      SELECT group_concat(CASE WHEN two GLOB '[ｶ-ﾎ]ﾞ' THEN char(unicode(rtrim(substr(forms, instr(forms, substr(two, 1, 1)) + 1, 3))) + 1)
                 WHEN two GLOB '[ﾊ-ﾎ]ﾟ' THEN char(unicode(rtrim(substr(forms, instr(forms, substr(two, 1, 1)) + 1, 3))) + 2)
                 WHEN two = 'ｳﾞ' THEN 'ヴ'
                 WHEN two GLOB '[ﾞﾟ]*' THEN ''
                 WHEN two GLOB '[²-³µ¹⁰-ⁱ⁴-⁹ⁿ-₉ℂ-℃℅-ℇ℉-ℓℕ-№ℙ-ℝℤΩℨK-ℭℯ-ℱℳ-ℹℽ-ℿⅅ-ⅉⅠ-ⅦⅨ-ⅶⅸ-ⅿ①-⑼⒈-⓪㈀-㈜㈠-㉃㉑-㉻㊀-㋋㋐-㋾㌃㌅-㌆㌉-㌋㌎-㌑㌔㌘㌜-㌞㌢-㌪㌬㌯-㌱㌵㌷-㌼㌾-㍂㍄-㍆㍉㍋㍎-㍐㍒-㍓㍕㍗-㍶㍻-㍾㎀-㎈㎊-㎧㎩-㎭㎰-㏁㏃-㏅㏇-㏗㏙-㏝㏠-㏾ﬀ-ﬆ０-９Ａ-Ｚａ-ｚｦ-ﾝ]*' THEN rtrim(substr(forms, instr(forms, substr(two, 1, 1)) + 1, 3))
                 WHEN two GLOB '[⌚⌛⏩-⏺☀-➿⬅-⬇⬛⬜⭐⭕🇦-🇿🌀-🫿]*' THEN printf(' 00%d ', unicode(two))
                 ELSE substr(two, 1, 1) END, '')
        FROM (SELECT substr(part, at, 2) AS two FROM piece CROSS JOIN place WHERE at <= length(part)), (SELECT '²2  ³3  µμ  ¹1  ⁰0  ⁱi  ⁴4  ⁵5  ⁶6  ⁷7  ⁸8  ⁹9  ⁿn  ₀0  ₁1  ₂2  ₃3  ₄4  ₅5  ₆6  ₇7  ₈8  ₉9  ℂC  ℃°C ℅c/o℆c/uℇƐ  ℉°F ℊg  ℋH  ℌH  ℍH  ℎh  ℏħ  ℐI  ℑI  ℒL  ℓl  ℕN  №No ℙP  ℚQ  ℛR  ℜR  ℝR  ℤZ  ΩΩ  ℨZ  KK  ÅÅ  ℬB  ℭC  ℯe  ℰE  ℱF  ℳM  ℴo  ℵא  ℶב  ℷג  ℸד  ℹi  ℽγ  ℾΓ  ℿΠ  ⅅD  ⅆd  ⅇe  ⅈi  ⅉj  ⅠI  ⅡII ⅢIIIⅣIV ⅤV  ⅥVI ⅦVIIⅨIX ⅩX  ⅪXI ⅫXIIⅬL  ⅭC  ⅮD  ⅯM  ⅰi  ⅱii ⅲiiiⅳiv ⅴv  ⅵvi ⅶviiⅸix ⅹx  ⅺxi ⅻxiiⅼl  ⅽc  ⅾd  ⅿm  ①1  ②2  ③3  ④4  ⑤5  ⑥6  ⑦7  ⑧8  ⑨9  ⑩10 ⑪11 ⑫12 ⑬13 ⑭14 ⑮15 ⑯16 ⑰17 ⑱18 ⑲19 ⑳20 ⑴(1)⑵(2)⑶(3)⑷(4)⑸(5)⑹(6)⑺(7)⑻(8)⑼(9)⒈1. ⒉2. ⒊3. ⒋4. ⒌5. ⒍6. ⒎7. ⒏8. ⒐9. ⒑10.⒒11.⒓12.⒔13.⒕14.⒖15.⒗16.⒘17.⒙18.⒚19.⒛20.⒜(a)⒝(b)⒞(c)⒟(d)⒠(e)⒡(f)⒢(g)⒣(h)⒤(i)⒥(j)⒦(k)⒧(l)⒨(m)⒩(n)⒪(o)⒫(p)⒬(q)⒭(r)⒮(s)⒯(t)⒰(u)⒱(v)⒲(w)⒳(x)⒴(y)⒵(z)ⒶA  ⒷB  ⒸC  ⒹD  ⒺE  ⒻF  ⒼG  ⒽH  ⒾI  ⒿJ  ⓀK  ⓁL  ⓂM  ⓃN  ⓄO  ⓅP  ⓆQ  ⓇR  ⓈS  ⓉT  ⓊU  ⓋV  ⓌW  ⓍX  ⓎY  ⓏZ  ⓐa  ⓑb  ⓒc  ⓓd  ⓔe  ⓕf  ⓖg  ⓗh  ⓘi  ⓙj  ⓚk  ⓛl  ⓜm  ⓝn  ⓞo  ⓟp  ⓠq  ⓡr  ⓢs  ⓣt  ⓤu  ⓥv  ⓦw  ⓧx  ⓨy  ⓩz  ⓪0  ㈀(ᄀ)㈁(ᄂ)㈂(ᄃ)㈃(ᄅ)㈄(ᄆ)㈅(ᄇ)㈆(ᄉ)㈇(ᄋ)㈈(ᄌ)㈉(ᄎ)㈊(ᄏ)㈋(ᄐ)㈌(ᄑ)㈍(ᄒ)㈎(가)㈏(나)㈐(다)㈑(라)㈒(마)㈓(바)㈔(사)㈕(아)㈖(자)㈗(차)㈘(카)㈙(타)㈚(파)㈛(하)㈜(주)㈠(一)㈡(二)㈢(三)㈣(四)㈤(五)㈥(六)㈦(七)㈧(八)㈨(九)㈩(十)㈪(月)㈫(火)㈬(水)㈭(木)㈮(金)㈯(土)㈰(日)㈱(株)㈲(有)㈳(社)㈴(名)㈵(特)㈶(財)㈷(祝)㈸(労)㈹(代)㈺(呼)㈻(学)㈼(監)㈽(企)㈾(資)㈿(協)㉀(祭)㉁(休)㉂(自)㉃(至)㉑21 ㉒22 ㉓23 ㉔24 ㉕25 ㉖26 ㉗27 ㉘28 ㉙29 ㉚30 ㉛31 ㉜32 ㉝33 ㉞34 ㉟35 ㉠ᄀ  ㉡ᄂ  ㉢ᄃ  ㉣ᄅ  ㉤ᄆ  ㉥ᄇ  ㉦ᄉ  ㉧ᄋ  ㉨ᄌ  ㉩ᄎ  ㉪ᄏ  ㉫ᄐ  ㉬ᄑ  ㉭ᄒ  ㉮가  ㉯나  ㉰다  ㉱라  ㉲마  ㉳바  ㉴사  ㉵아  ㉶자  ㉷차  ㉸카  ㉹타  ㉺파  ㉻하  ㊀一  ㊁二  ㊂三  ㊃四  ㊄五  ㊅六  ㊆七  ㊇八  ㊈九  ㊉十  ㊊月  ㊋火  ㊌水  ㊍木  ㊎金  ㊏土  ㊐日  ㊑株  ㊒有  ㊓社  ㊔名  ㊕特  ㊖財  ㊗祝  ㊘労  ㊙秘  ㊚男  ㊛女  ㊜適  ㊝優  ㊞印  ㊟注  ㊠項  ㊡休  ㊢写  ㊣正  ㊤上  ㊥中  ㊦下  ㊧左  ㊨右  ㊩医  ㊪宗  ㊫学  ㊬監  ㊭企  ㊮資  ㊯協  ㊰夜  ㊱36 ㊲37 ㊳38 ㊴39 ㊵40 ㊶41 ㊷42 ㊸43 ㊹44 ㊺45 ㊻46 ㊼47 ㊽48 ㊾49 ㊿50 ㋀1月 ㋁2月 ㋂3月 ㋃4月 ㋄5月 ㋅6月 ㋆7月 ㋇8月 ㋈9月 ㋉10月㋊11月㋋12月㋐ア  ㋑イ  ㋒ウ  ㋓エ  ㋔オ  ㋕カ  ㋖キ  ㋗ク  ㋘ケ  ㋙コ  ㋚サ  ㋛シ  ㋜ス  ㋝セ  ㋞ソ  ㋟タ  ㋠チ  ㋡ツ  ㋢テ  ㋣ト  ㋤ナ  ㋥ニ  ㋦ヌ  ㋧ネ  ㋨ノ  ㋩ハ  ㋪ヒ  ㋫フ  ㋬ヘ  ㋭ホ  ㋮マ  ㋯ミ  ㋰ム  ㋱メ  ㋲モ  ㋳ヤ  ㋴ユ  ㋵ヨ  ㋶ラ  ㋷リ  ㋸ル  ㋹レ  ㋺ロ  ㋻ワ  ㋼ヰ  ㋽ヱ  ㋾ヲ  ㌃アール㌅インチ㌆ウォン㌉オンス㌊オーム㌋カイリ㌎ガロン㌏ガンマ㌐ギガ ㌑ギニー㌔キロ ㌘グラム㌜ケース㌝コルナ㌞コーポ㌢センチ㌣セント㌤ダース㌥デシ ㌦ドル ㌧トン ㌨ナノ ㌩ノット㌪ハイツ㌬パーツ㌯ピクル㌰ピコ ㌱ビル ㌵フラン㌷ペソ ㌸ペニヒ㌹ヘルツ㌺ペンス㌻ページ㌼ベータ㌾ボルト㌿ホン ㍀ポンド㍁ホール㍂ホーン㍄マイル㍅マッハ㍆マルク㍉ミリ ㍋メガ ㍎ヤード㍏ヤール㍐ユアン㍒リラ ㍓ルピー㍕レム ㍗ワット㍘0点 ㍙1点 ㍚2点 ㍛3点 ㍜4点 ㍝5点 ㍞6点 ㍟7点 ㍠8点 ㍡9点 ㍢10点㍣11点㍤12点㍥13点㍦14点㍧15点㍨16点㍩17点㍪18点㍫19点㍬20点㍭21点㍮22点㍯23点㍰24点㍱hPa㍲da ㍳AU ㍴bar㍵oV ㍶pc ㍻平成 ㍼昭和 ㍽大正 ㍾明治 ㎀pA ㎁nA ㎂μA ㎃mA ㎄kA ㎅KB ㎆MB ㎇GB ㎈cal㎊pF ㎋nF ㎌μF ㎍μg ㎎mg ㎏kg ㎐Hz ㎑kHz㎒MHz㎓GHz㎔THz㎕μl ㎖ml ㎗dl ㎘kl ㎙fm ㎚nm ㎛μm ㎜mm ㎝cm ㎞km ㎟mm2㎠cm2㎡m2 ㎢km2㎣mm3㎤cm3㎥m3 ㎦km3㎧m∕s㎩Pa ㎪kPa㎫MPa㎬GPa㎭rad㎰ps ㎱ns ㎲μs ㎳ms ㎴pV ㎵nV ㎶μV ㎷mV ㎸kV ㎹MV ㎺pW ㎻nW ㎼μW ㎽mW ㎾kW ㎿MW ㏀kΩ ㏁MΩ ㏃Bq ㏄cc ㏅cd ㏇Co.㏈dB ㏉Gy ㏊ha ㏋HP ㏌in ㏍KK ㏎KM ㏏kt ㏐lm ㏑ln ㏒log㏓lx ㏔mb ㏕mil㏖mol㏗PH ㏙PPM㏚PR ㏛sr ㏜Sv ㏝Wb ㏠1日 ㏡2日 ㏢3日 ㏣4日 ㏤5日 ㏥6日 ㏦7日 ㏧8日 ㏨9日 ㏩10日㏪11日㏫12日㏬13日㏭14日㏮15日㏯16日㏰17日㏱18日㏲19日㏳20日㏴21日㏵22日㏶23日㏷24日㏸25日㏹26日㏺27日㏻28日㏼29日㏽30日㏾31日ﬀff ﬁfi ﬂfl ﬃffiﬄfflﬅst ﬆst ０0  １1  ２2  ３3  ４4  ５5  ６6  ７7  ８8  ９9  ＡA  ＢB  ＣC  ＤD  ＥE  ＦF  ＧG  ＨH  ＩI  ＪJ  ＫK  ＬL  ＭM  ＮN  ＯO  ＰP  ＱQ  ＲR  ＳS  ＴT  ＵU  ＶV  ＷW  ＸX  ＹY  ＺZ  ａa  ｂb  ｃc  ｄd  ｅe  ｆf  ｇg  ｈh  ｉi  ｊj  ｋk  ｌl  ｍm  ｎn  ｏo  ｐp  ｑq  ｒr  ｓs  ｔt  ｕu  ｖv  ｗw  ｘx  ｙy  ｚz  ｦヲ  ｧァ  ｨィ  ｩゥ  ｪェ  ｫォ  ｬャ  ｭュ  ｮョ  ｯッ  ｰー  ｱア  ｲイ  ｳウ  ｴエ  ｵオ  ｶカ  ｷキ  ｸク  ｹケ  ｺコ  ｻサ  ｼシ  ｽス  ｾセ  ｿソ  ﾀタ  ﾁチ  ﾂツ  ﾃテ  ﾄト  ﾅナ  ﾆニ  ﾇヌ  ﾈネ  ﾉノ  ﾊハ  ﾋヒ  ﾌフ  ﾍヘ  ﾎホ  ﾏマ  ﾐミ  ﾑム  ﾒメ  ﾓモ  ﾔヤ  ﾕユ  ﾖヨ  ﾗラ  ﾘリ  ﾙル  ﾚレ  ﾛロ  ﾜワ  ﾝン  ' AS forms)) ELSE source.hint END AS t) AS usual) END AS t) AS whole) AS hint FROM memory_hints AS source;

CREATE VIRTUAL TABLE memory_hints_fts USING fts5(hint, content = 'memory_hints_words', content_rowid = 'seq', tokenize = 'porter unicode61');

CREATE TRIGGER memory_hints_fts_bd BEFORE DELETE ON memory_hints BEGIN INSERT INTO memory_hints_fts (memory_hints_fts, rowid, hint) SELECT 'delete', seq, hint FROM memory_hints_words WHERE seq = old.seq; END;

CREATE TRIGGER memory_hints_fts_ai AFTER INSERT ON memory_hints BEGIN INSERT INTO memory_hints_fts (rowid, hint) SELECT seq, hint FROM memory_hints_words WHERE seq = new.seq; END;

CREATE TRIGGER memory_hints_fts_bu BEFORE UPDATE OF hint ON memory_hints BEGIN INSERT INTO memory_hints_fts (memory_hints_fts, rowid, hint) SELECT 'delete', seq, hint FROM memory_hints_words WHERE seq = old.seq; END;

CREATE TRIGGER memory_hints_fts_au AFTER UPDATE OF hint ON memory_hints BEGIN INSERT INTO memory_hints_fts (rowid, hint) SELECT seq, hint FROM memory_hints_words WHERE seq = new.seq; END;

CREATE VIEW entities_words AS SELECT seq, (SELECT CASE WHEN length(whole.t) <= 20000
       AND (whole.t GLOB '*[A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿ][0-9]*' OR whole.t GLOB '*[0-9][A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿ]*') THEN (
      WITH RECURSIVE step (done, rest, ahead) AS (
        SELECT '', whole.t, ltrim(whole.t, ' etaoinsrhldcumfpgwybvkxjqz.,-_/:"''`()
	!#$%&*+;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^{|}~')
        UNION ALL
        SELECT done || substr(rest, 1, length(rest) - length(ahead))
            || iif(ahead GLOB '[0-9]*' AND substr(done || substr(rest, 1, length(rest) - length(ahead)), -1) GLOB '[A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿ]', ' ', '')
            || substr(ahead, 1, length(ahead) - length(iif(ahead GLOB '[0-9]*', ltrim(ahead, '0123456789'), substr(ahead, 2)))) || iif(ahead GLOB '[0-9]*' AND iif(ahead GLOB '[0-9]*', ltrim(ahead, '0123456789'), substr(ahead, 2)) GLOB '[A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿ]*', ' ', ''),
          iif(ahead GLOB '[0-9]*', ltrim(ahead, '0123456789'), substr(ahead, 2)), ltrim(iif(ahead GLOB '[0-9]*', ltrim(ahead, '0123456789'), substr(ahead, 2)), ' etaoinsrhldcumfpgwybvkxjqz.,-_/:"''`()
	!#$%&*+;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^{|}~')
          FROM step WHERE ahead <> '')
      SELECT done || rest FROM step WHERE ahead = '') ELSE whole.t END FROM (SELECT CASE WHEN length(CAST(source.name AS BLOB)) = length(source.name) THEN source.name ELSE (SELECT replace(replace(replace(replace(replace(replace(replace(replace(CASE WHEN usual.t GLOB '*[⺀-𳎿]*' THEN (
      WITH RECURSIVE
        place (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM place WHERE at < 32),
        piece (number, part) AS (
          SELECT 0, substr(usual.t, 1, 32 + 1)
          UNION ALL
          SELECT number + 1, substr(usual.t, (number + 1) * 32 + 1, 32 + 1)
            FROM piece WHERE length(part) > 32)
      SELECT group_concat(CASE WHEN two GLOB '[々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿][々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿]' THEN ' ' || two || ' '
                    WHEN two GLOB '[々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿]*' THEN ' ' || substr(two, 1, 1) || ' '
                    ELSE substr(two, 1, 1) END, '')
        FROM (SELECT substr(part, at, 2) AS two FROM piece CROSS JOIN place WHERE at <= length(part))) ELSE usual.t END, 'ß', 'ss'), 'ẞ', 'ss'), 'ё', 'е'), 'Ё', 'Е'), 'œ', 'oe'), 'Œ', 'OE'), 'æ', 'ae'), 'Æ', 'AE') FROM (SELECT CASE WHEN source.name GLOB '*[²³µ¹⁰-₟ℂ-⓿㈀-㏿ﬀ-ﬆ０-９Ａ-Ｚａ-ｚｦ-ﾟ⌚⌛⏩-⏺☀-➿⬅-⬇⬛⬜⭐⭕🇦-🇿🌀-🫿]*' THEN (
      WITH RECURSIVE
        place (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM place WHERE at < 32),
        piece (number, part) AS (
          SELECT 0, substr(source.name, 1, 32 + 1)
          UNION ALL
          SELECT number + 1, substr(source.name, (number + 1) * 32 + 1, 32 + 1)
            FROM piece WHERE length(part) > 32)
      SELECT group_concat(CASE WHEN two GLOB '[ｶ-ﾎ]ﾞ' THEN char(unicode(rtrim(substr(forms, instr(forms, substr(two, 1, 1)) + 1, 3))) + 1)
                 WHEN two GLOB '[ﾊ-ﾎ]ﾟ' THEN char(unicode(rtrim(substr(forms, instr(forms, substr(two, 1, 1)) + 1, 3))) + 2)
                 WHEN two = 'ｳﾞ' THEN 'ヴ'
                 WHEN two GLOB '[ﾞﾟ]*' THEN ''
                 WHEN two GLOB '[²-³µ¹⁰-ⁱ⁴-⁹ⁿ-₉ℂ-℃℅-ℇ℉-ℓℕ-№ℙ-ℝℤΩℨK-ℭℯ-ℱℳ-ℹℽ-ℿⅅ-ⅉⅠ-ⅦⅨ-ⅶⅸ-ⅿ①-⑼⒈-⓪㈀-㈜㈠-㉃㉑-㉻㊀-㋋㋐-㋾㌃㌅-㌆㌉-㌋㌎-㌑㌔㌘㌜-㌞㌢-㌪㌬㌯-㌱㌵㌷-㌼㌾-㍂㍄-㍆㍉㍋㍎-㍐㍒-㍓㍕㍗-㍶㍻-㍾㎀-㎈㎊-㎧㎩-㎭㎰-㏁㏃-㏅㏇-㏗㏙-㏝㏠-㏾ﬀ-ﬆ０-９Ａ-Ｚａ-ｚｦ-ﾝ]*' THEN rtrim(substr(forms, instr(forms, substr(two, 1, 1)) + 1, 3))
                 WHEN two GLOB '[⌚⌛⏩-⏺☀-➿⬅-⬇⬛⬜⭐⭕🇦-🇿🌀-🫿]*' THEN printf(' 00%d ', unicode(two))
                 ELSE substr(two, 1, 1) END, '')
        FROM (SELECT substr(part, at, 2) AS two FROM piece CROSS JOIN place WHERE at <= length(part)), (SELECT '²2  ³3  µμ  ¹1  ⁰0  ⁱi  ⁴4  ⁵5  ⁶6  ⁷7  ⁸8  ⁹9  ⁿn  ₀0  ₁1  ₂2  ₃3  ₄4  ₅5  ₆6  ₇7  ₈8  ₉9  ℂC  ℃°C ℅c/o℆c/uℇƐ  ℉°F ℊg  ℋH  ℌH  ℍH  ℎh  ℏħ  ℐI  ℑI  ℒL  ℓl  ℕN  №No ℙP  ℚQ  ℛR  ℜR  ℝR  ℤZ  ΩΩ  ℨZ  KK  ÅÅ  ℬB  ℭC  ℯe  ℰE  ℱF  ℳM  ℴo  ℵא  ℶב  ℷג  ℸד  ℹi  ℽγ  ℾΓ  ℿΠ  ⅅD  ⅆd  ⅇe  ⅈi  ⅉj  ⅠI  ⅡII ⅢIIIⅣIV ⅤV  ⅥVI ⅦVIIⅨIX ⅩX  ⅪXI ⅫXIIⅬL  ⅭC  ⅮD  ⅯM  ⅰi  ⅱii ⅲiiiⅳiv ⅴv  ⅵvi ⅶviiⅸix ⅹx  ⅺxi ⅻxiiⅼl  ⅽc  ⅾd  ⅿm  ①1  ②2  ③3  ④4  ⑤5  ⑥6  ⑦7  ⑧8  ⑨9  ⑩10 ⑪11 ⑫12 ⑬13 ⑭14 ⑮15 ⑯16 ⑰17 ⑱18 ⑲19 ⑳20 ⑴(1)⑵(2)⑶(3)⑷(4)⑸(5)⑹(6)⑺(7)⑻(8)⑼(9)⒈1. ⒉2. ⒊3. ⒋4. ⒌5. ⒍6. ⒎7. ⒏8. ⒐9. ⒑10.⒒11.⒓12.⒔13.⒕14.⒖15.⒗16.⒘17.⒙18.⒚19.⒛20.⒜(a)⒝(b)⒞(c)⒟(d)⒠(e)⒡(f)⒢(g)⒣(h)⒤(i)⒥(j)⒦(k)⒧(l)⒨(m)⒩(n)⒪(o)⒫(p)⒬(q)⒭(r)⒮(s)⒯(t)⒰(u)⒱(v)⒲(w)⒳(x)⒴(y)⒵(z)ⒶA  ⒷB  ⒸC  ⒹD  ⒺE  ⒻF  ⒼG  ⒽH  ⒾI  ⒿJ  ⓀK  ⓁL  ⓂM  ⓃN  ⓄO  ⓅP  ⓆQ  ⓇR  ⓈS  ⓉT  ⓊU  ⓋV  ⓌW  ⓍX  ⓎY  ⓏZ  ⓐa  ⓑb  ⓒc  ⓓd  ⓔe  ⓕf  ⓖg  ⓗh  ⓘi  ⓙj  ⓚk  ⓛl  ⓜm  ⓝn  ⓞo  ⓟp  ⓠq  ⓡr  ⓢs  ⓣt  ⓤu  ⓥv  ⓦw  ⓧx  ⓨy  ⓩz  ⓪0  ㈀(ᄀ)㈁(ᄂ)㈂(ᄃ)㈃(ᄅ)㈄(ᄆ)㈅(ᄇ)㈆(ᄉ)㈇(ᄋ)㈈(ᄌ)㈉(ᄎ)㈊(ᄏ)㈋(ᄐ)㈌(ᄑ)㈍(ᄒ)㈎(가)㈏(나)㈐(다)㈑(라)㈒(마)㈓(바)㈔(사)㈕(아)㈖(자)㈗(차)㈘(카)㈙(타)㈚(파)㈛(하)㈜(주)㈠(一)㈡(二)㈢(三)㈣(四)㈤(五)㈥(六)㈦(七)㈧(八)㈨(九)㈩(十)㈪(月)㈫(火)㈬(水)㈭(木)㈮(金)㈯(土)㈰(日)㈱(株)㈲(有)㈳(社)㈴(名)㈵(特)㈶(財)㈷(祝)㈸(労)㈹(代)㈺(呼)㈻(学)㈼(監)㈽(企)㈾(資)㈿(協)㉀(祭)㉁(休)㉂(自)㉃(至)㉑21 ㉒22 ㉓23 ㉔24 ㉕25 ㉖26 ㉗27 ㉘28 ㉙29 ㉚30 ㉛31 ㉜32 ㉝33 ㉞34 ㉟35 ㉠ᄀ  ㉡ᄂ  ㉢ᄃ  ㉣ᄅ  ㉤ᄆ  ㉥ᄇ  ㉦ᄉ  ㉧ᄋ  ㉨ᄌ  ㉩ᄎ  ㉪ᄏ  ㉫ᄐ  ㉬ᄑ  ㉭ᄒ  ㉮가  ㉯나  ㉰다  ㉱라  ㉲마  ㉳바  ㉴사  ㉵아  ㉶자  ㉷차  ㉸카  ㉹타  ㉺파  ㉻하  ㊀一  ㊁二  ㊂三  ㊃四  ㊄五  ㊅六  ㊆七  ㊇八  ㊈九  ㊉十  ㊊月  ㊋火  ㊌水  ㊍木  ㊎金  ㊏土  ㊐日  ㊑株  ㊒有  ㊓社  ㊔名  ㊕特  ㊖財  ㊗祝  ㊘労  ㊙秘  ㊚男  ㊛女  ㊜適  ㊝優  ㊞印  ㊟注  ㊠項  ㊡休  ㊢写  ㊣正  ㊤上  ㊥中  ㊦下  ㊧左  ㊨右  ㊩医  ㊪宗  ㊫学  ㊬監  ㊭企  ㊮資  ㊯協  ㊰夜  ㊱36 ㊲37 ㊳38 ㊴39 ㊵40 ㊶41 ㊷42 ㊸43 ㊹44 ㊺45 ㊻46 ㊼47 ㊽48 ㊾49 ㊿50 ㋀1月 ㋁2月 ㋂3月 ㋃4月 ㋄5月 ㋅6月 ㋆7月 ㋇8月 ㋈9月 ㋉10月㋊11月㋋12月㋐ア  ㋑イ  ㋒ウ  ㋓エ  ㋔オ  ㋕カ  ㋖キ  ㋗ク  ㋘ケ  ㋙コ  ㋚サ  ㋛シ  ㋜ス  ㋝セ  ㋞ソ  ㋟タ  ㋠チ  ㋡ツ  ㋢テ  ㋣ト  ㋤ナ  ㋥ニ  ㋦ヌ  ㋧ネ  ㋨ノ  ㋩ハ  ㋪ヒ  ㋫フ  ㋬ヘ  ㋭ホ  ㋮マ  ㋯ミ  ㋰ム  ㋱メ  ㋲モ  ㋳ヤ  ㋴ユ  ㋵ヨ  ㋶ラ  ㋷リ  ㋸ル  ㋹レ  ㋺ロ  ㋻ワ  ㋼ヰ  ㋽ヱ  ㋾ヲ  ㌃アール㌅インチ㌆ウォン㌉オンス㌊オーム㌋カイリ㌎ガロン㌏ガンマ㌐ギガ ㌑ギニー㌔キロ ㌘グラム㌜ケース㌝コルナ㌞コーポ㌢センチ㌣セント㌤ダース㌥デシ ㌦ドル ㌧トン ㌨ナノ ㌩ノット㌪ハイツ㌬パーツ㌯ピクル㌰ピコ ㌱ビル ㌵フラン㌷ペソ ㌸ペニヒ㌹ヘルツ㌺ペンス㌻ページ㌼ベータ㌾ボルト㌿ホン ㍀ポンド㍁ホール㍂ホーン㍄マイル㍅マッハ㍆マルク㍉ミリ ㍋メガ ㍎ヤード㍏ヤール㍐ユアン㍒リラ ㍓ルピー㍕レム ㍗ワット㍘0点 ㍙1点 ㍚2点 ㍛3点 ㍜4点 ㍝5点 ㍞6点 ㍟7点 ㍠8点 ㍡9点 ㍢10点㍣11点㍤12点㍥13点㍦14点㍧15点㍨16点㍩17点㍪18点㍫19点㍬20点㍭21点㍮22点㍯23点㍰24点㍱hPa㍲da ㍳AU ㍴bar㍵oV ㍶pc ㍻平成 ㍼昭和 ㍽大正 ㍾明治 ㎀pA ㎁nA ㎂μA ㎃mA ㎄kA ㎅KB ㎆MB ㎇GB ㎈cal㎊pF ㎋nF ㎌μF ㎍μg ㎎mg ㎏kg ㎐Hz ㎑kHz㎒MHz㎓GHz㎔THz㎕μl ㎖ml ㎗dl ㎘kl ㎙fm ㎚nm ㎛μm ㎜mm ㎝cm ㎞km ㎟mm2㎠cm2㎡m2 ㎢km2㎣mm3㎤cm3㎥m3 ㎦km3㎧m∕s㎩Pa ㎪kPa㎫MPa㎬GPa㎭rad㎰ps ㎱ns ㎲μs ㎳ms ㎴pV ㎵nV ㎶μV ㎷mV ㎸kV ㎹MV ㎺pW ㎻nW ㎼μW ㎽mW ㎾kW ㎿MW ㏀kΩ ㏁MΩ ㏃Bq ㏄cc ㏅cd ㏇Co.㏈dB ㏉Gy ㏊ha ㏋HP ㏌in ㏍KK ㏎KM ㏏kt ㏐lm ㏑ln ㏒log㏓lx ㏔mb ㏕mil㏖mol㏗PH ㏙PPM㏚PR ㏛sr ㏜Sv ㏝Wb ㏠1日 ㏡2日 ㏢3日 ㏣4日 ㏤5日 ㏥6日 ㏦7日 ㏧8日 ㏨9日 ㏩10日㏪11日㏫12日㏬13日㏭14日㏮15日㏯16日㏰17日㏱18日㏲19日㏳20日㏴21日㏵22日㏶23日㏷24日㏸25日㏹26日㏺27日㏻28日㏼29日㏽30日㏾31日ﬀff ﬁfi ﬂfl ﬃffiﬄfflﬅst ﬆst ０0  １1  ２2  ３3  ４4  ５5  ６6  ７7  ８8  ９9  ＡA  ＢB  ＣC  ＤD  ＥE  ＦF  ＧG  ＨH  ＩI  ＪJ  ＫK  ＬL  ＭM  ＮN  ＯO  ＰP  ＱQ  ＲR  ＳS  ＴT  ＵU  ＶV  ＷW  ＸX  ＹY  ＺZ  ａa  ｂb  ｃc  ｄd  ｅe  ｆf  ｇg  ｈh  ｉi  ｊj  ｋk  ｌl  ｍm  ｎn  ｏo  ｐp  ｑq  ｒr  ｓs  ｔt  ｕu  ｖv  ｗw  ｘx  ｙy  ｚz  ｦヲ  ｧァ  ｨィ  ｩゥ  ｪェ  ｫォ  ｬャ  ｭュ  ｮョ  ｯッ  ｰー  ｱア  ｲイ  ｳウ  ｴエ  ｵオ  ｶカ  ｷキ  ｸク  ｹケ  ｺコ  ｻサ  ｼシ  ｽス  ｾセ  ｿソ  ﾀタ  ﾁチ  ﾂツ  ﾃテ  ﾄト  ﾅナ  ﾆニ  ﾇヌ  ﾈネ  ﾉノ  ﾊハ  ﾋヒ  ﾌフ  ﾍヘ  ﾎホ  ﾏマ  ﾐミ  ﾑム  ﾒメ  ﾓモ  ﾔヤ  ﾕユ  ﾖヨ  ﾗラ  ﾘリ  ﾙル  ﾚレ  ﾛロ  ﾜワ  ﾝン  ' AS forms)) ELSE source.name END AS t) AS usual) END AS t) AS whole) AS name, (SELECT CASE WHEN length(whole.t) <= 20000
       AND (whole.t GLOB '*[A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿ][0-9]*' OR whole.t GLOB '*[0-9][A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿ]*') THEN (
      WITH RECURSIVE step (done, rest, ahead) AS (
        SELECT '', whole.t, ltrim(whole.t, ' etaoinsrhldcumfpgwybvkxjqz.,-_/:"''`()
	!#$%&*+;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^{|}~')
        UNION ALL
        SELECT done || substr(rest, 1, length(rest) - length(ahead))
            || iif(ahead GLOB '[0-9]*' AND substr(done || substr(rest, 1, length(rest) - length(ahead)), -1) GLOB '[A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿ]', ' ', '')
            || substr(ahead, 1, length(ahead) - length(iif(ahead GLOB '[0-9]*', ltrim(ahead, '0123456789'), substr(ahead, 2)))) || iif(ahead GLOB '[0-9]*' AND iif(ahead GLOB '[0-9]*', ltrim(ahead, '0123456789'), substr(ahead, 2)) GLOB '[A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿ]*', ' ', ''),
          iif(ahead GLOB '[0-9]*', ltrim(ahead, '0123456789'), substr(ahead, 2)), ltrim(iif(ahead GLOB '[0-9]*', ltrim(ahead, '0123456789'), substr(ahead, 2)), ' etaoinsrhldcumfpgwybvkxjqz.,-_/:"''`()
	!#$%&*+;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^{|}~')
          FROM step WHERE ahead <> '')
      SELECT done || rest FROM step WHERE ahead = '') ELSE whole.t END FROM (SELECT CASE WHEN length(CAST(source.canonical_name AS BLOB)) = length(source.canonical_name) THEN source.canonical_name ELSE (SELECT replace(replace(replace(replace(replace(replace(replace(replace(CASE WHEN usual.t GLOB '*[⺀-𳎿]*' THEN (
      WITH RECURSIVE
        place (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM place WHERE at < 32),
        piece (number, part) AS (
          SELECT 0, substr(usual.t, 1, 32 + 1)
          UNION ALL
          SELECT number + 1, substr(usual.t, (number + 1) * 32 + 1, 32 + 1)
            FROM piece WHERE length(part) > 32)
      SELECT group_concat(CASE WHEN two GLOB '[々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿][々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿]' THEN ' ' || two || ' '
                    WHEN two GLOB '[々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿]*' THEN ' ' || substr(two, 1, 1) || ' '
                    ELSE substr(two, 1, 1) END, '')
        FROM (SELECT substr(part, at, 2) AS two FROM piece CROSS JOIN place WHERE at <= length(part))) ELSE usual.t END, 'ß', 'ss'), 'ẞ', 'ss'), 'ё', 'е'), 'Ё', 'Е'), 'œ', 'oe'), 'Œ', 'OE'), 'æ', 'ae'), 'Æ', 'AE') FROM (SELECT CASE WHEN source.canonical_name GLOB '*[²³µ¹⁰-₟ℂ-⓿㈀-㏿ﬀ-ﬆ０-９Ａ-Ｚａ-ｚｦ-ﾟ⌚⌛⏩-⏺☀-➿⬅-⬇⬛⬜⭐⭕🇦-🇿🌀-🫿]*' THEN (
      WITH RECURSIVE
        place (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM place WHERE at < 32),
        piece (number, part) AS (
          SELECT 0, substr(source.canonical_name, 1, 32 + 1)
          UNION ALL
          SELECT number + 1, substr(source.canonical_name, (number + 1) * 32 + 1, 32 + 1)
            FROM piece WHERE length(part) > 32)
      SELECT group_concat(CASE WHEN two GLOB '[ｶ-ﾎ]ﾞ' THEN char(unicode(rtrim(substr(forms, instr(forms, substr(two, 1, 1)) + 1, 3))) + 1)
                 WHEN two GLOB '[ﾊ-ﾎ]ﾟ' THEN char(unicode(rtrim(substr(forms, instr(forms, substr(two, 1, 1)) + 1, 3))) + 2)
                 WHEN two = 'ｳﾞ' THEN 'ヴ'
                 WHEN two GLOB '[ﾞﾟ]*' THEN ''
                 WHEN two GLOB '[²-³µ¹⁰-ⁱ⁴-⁹ⁿ-₉ℂ-℃℅-ℇ℉-ℓℕ-№ℙ-ℝℤΩℨK-ℭℯ-ℱℳ-ℹℽ-ℿⅅ-ⅉⅠ-ⅦⅨ-ⅶⅸ-ⅿ①-⑼⒈-⓪㈀-㈜㈠-㉃㉑-㉻㊀-㋋㋐-㋾㌃㌅-㌆㌉-㌋㌎-㌑㌔㌘㌜-㌞㌢-㌪㌬㌯-㌱㌵㌷-㌼㌾-㍂㍄-㍆㍉㍋㍎-㍐㍒-㍓㍕㍗-㍶㍻-㍾㎀-㎈㎊-㎧㎩-㎭㎰-㏁㏃-㏅㏇-㏗㏙-㏝㏠-㏾ﬀ-ﬆ０-９Ａ-Ｚａ-ｚｦ-ﾝ]*' THEN rtrim(substr(forms, instr(forms, substr(two, 1, 1)) + 1, 3))
                 WHEN two GLOB '[⌚⌛⏩-⏺☀-➿⬅-⬇⬛⬜⭐⭕🇦-🇿🌀-🫿]*' THEN printf(' 00%d ', unicode(two))
                 ELSE substr(two, 1, 1) END, '')
        FROM (SELECT substr(part, at, 2) AS two FROM piece CROSS JOIN place WHERE at <= length(part)), (SELECT '²2  ³3  µμ  ¹1  ⁰0  ⁱi  ⁴4  ⁵5  ⁶6  ⁷7  ⁸8  ⁹9  ⁿn  ₀0  ₁1  ₂2  ₃3  ₄4  ₅5  ₆6  ₇7  ₈8  ₉9  ℂC  ℃°C ℅c/o℆c/uℇƐ  ℉°F ℊg  ℋH  ℌH  ℍH  ℎh  ℏħ  ℐI  ℑI  ℒL  ℓl  ℕN  №No ℙP  ℚQ  ℛR  ℜR  ℝR  ℤZ  ΩΩ  ℨZ  KK  ÅÅ  ℬB  ℭC  ℯe  ℰE  ℱF  ℳM  ℴo  ℵא  ℶב  ℷג  ℸד  ℹi  ℽγ  ℾΓ  ℿΠ  ⅅD  ⅆd  ⅇe  ⅈi  ⅉj  ⅠI  ⅡII ⅢIIIⅣIV ⅤV  ⅥVI ⅦVIIⅨIX ⅩX  ⅪXI ⅫXIIⅬL  ⅭC  ⅮD  ⅯM  ⅰi  ⅱii ⅲiiiⅳiv ⅴv  ⅵvi ⅶviiⅸix ⅹx  ⅺxi ⅻxiiⅼl  ⅽc  ⅾd  ⅿm  ①1  ②2  ③3  ④4  ⑤5  ⑥6  ⑦7  ⑧8  ⑨9  ⑩10 ⑪11 ⑫12 ⑬13 ⑭14 ⑮15 ⑯16 ⑰17 ⑱18 ⑲19 ⑳20 ⑴(1)⑵(2)⑶(3)⑷(4)⑸(5)⑹(6)⑺(7)⑻(8)⑼(9)⒈1. ⒉2. ⒊3. ⒋4. ⒌5. ⒍6. ⒎7. ⒏8. ⒐9. ⒑10.⒒11.⒓12.⒔13.⒕14.⒖15.⒗16.⒘17.⒙18.⒚19.⒛20.⒜(a)⒝(b)⒞(c)⒟(d)⒠(e)⒡(f)⒢(g)⒣(h)⒤(i)⒥(j)⒦(k)⒧(l)⒨(m)⒩(n)⒪(o)⒫(p)⒬(q)⒭(r)⒮(s)⒯(t)⒰(u)⒱(v)⒲(w)⒳(x)⒴(y)⒵(z)ⒶA  ⒷB  ⒸC  ⒹD  ⒺE  ⒻF  ⒼG  ⒽH  ⒾI  ⒿJ  ⓀK  ⓁL  ⓂM  ⓃN  ⓄO  ⓅP  ⓆQ  ⓇR  ⓈS  ⓉT  ⓊU  ⓋV  ⓌW  ⓍX  ⓎY  ⓏZ  ⓐa  ⓑb  ⓒc  ⓓd  ⓔe  ⓕf  ⓖg  ⓗh  ⓘi  ⓙj  ⓚk  ⓛl  ⓜm  ⓝn  ⓞo  ⓟp  ⓠq  ⓡr  ⓢs  ⓣt  ⓤu  ⓥv  ⓦw  ⓧx  ⓨy  ⓩz  ⓪0  ㈀(ᄀ)㈁(ᄂ)㈂(ᄃ)㈃(ᄅ)㈄(ᄆ)㈅(ᄇ)㈆(ᄉ)㈇(ᄋ)㈈(ᄌ)㈉(ᄎ)㈊(ᄏ)㈋(ᄐ)㈌(ᄑ)㈍(ᄒ)㈎(가)㈏(나)㈐(다)㈑(라)㈒(마)㈓(바)㈔(사)㈕(아)㈖(자)㈗(차)㈘(카)㈙(타)㈚(파)㈛(하)㈜(주)㈠(一)㈡(二)㈢(三)㈣(四)㈤(五)㈥(六)㈦(七)㈧(八)㈨(九)㈩(十)㈪(月)㈫(火)㈬(水)㈭(木)㈮(金)㈯(土)㈰(日)㈱(株)㈲(有)㈳(社)㈴(名)㈵(特)㈶(財)㈷(祝)㈸(労)㈹(代)㈺(呼)㈻(学)㈼(監)㈽(企)㈾(資)㈿(協)㉀(祭)㉁(休)㉂(自)㉃(至)㉑21 ㉒22 ㉓23 ㉔24 ㉕25 ㉖26 ㉗27 ㉘28 ㉙29 ㉚30 ㉛31 ㉜32 ㉝33 ㉞34 ㉟35 ㉠ᄀ  ㉡ᄂ  ㉢ᄃ  ㉣ᄅ  ㉤ᄆ  ㉥ᄇ  ㉦ᄉ  ㉧ᄋ  ㉨ᄌ  ㉩ᄎ  ㉪ᄏ  ㉫ᄐ  ㉬ᄑ  ㉭ᄒ  ㉮가  ㉯나  ㉰다  ㉱라  ㉲마  ㉳바  ㉴사  ㉵아  ㉶자  ㉷차  ㉸카  ㉹타  ㉺파  ㉻하  ㊀一  ㊁二  ㊂三  ㊃四  ㊄五  ㊅六  ㊆七  ㊇八  ㊈九  ㊉十  ㊊月  ㊋火  ㊌水  ㊍木  ㊎金  ㊏土  ㊐日  ㊑株  ㊒有  ㊓社  ㊔名  ㊕特  ㊖財  ㊗祝  ㊘労  ㊙秘  ㊚男  ㊛女  ㊜適  ㊝優  ㊞印  ㊟注  ㊠項  ㊡休  ㊢写  ㊣正  ㊤上  ㊥中  ㊦下  ㊧左  ㊨右  ㊩医  ㊪宗  ㊫学  ㊬監  ㊭企  ㊮資  ㊯協  ㊰夜  ㊱36 ㊲37 ㊳38 ㊴39 ㊵40 ㊶41 ㊷42 ㊸43 ㊹44 ㊺45 ㊻46 ㊼47 ㊽48 ㊾49 ㊿50 ㋀1月 ㋁2月 ㋂3月 ㋃4月 ㋄5月 ㋅6月 ㋆7月 ㋇8月 ㋈9月 ㋉10月㋊11月㋋12月㋐ア  ㋑イ  ㋒ウ  ㋓エ  ㋔オ  ㋕カ  ㋖キ  ㋗ク  ㋘ケ  ㋙コ  ㋚サ  ㋛シ  ㋜ス  ㋝セ  ㋞ソ  ㋟タ  ㋠チ  ㋡ツ  ㋢テ  ㋣ト  ㋤ナ  ㋥ニ  ㋦ヌ  ㋧ネ  ㋨ノ  ㋩ハ  ㋪ヒ  ㋫フ  ㋬ヘ  ㋭ホ  ㋮マ  ㋯ミ  ㋰ム  ㋱メ  ㋲モ  ㋳ヤ  ㋴ユ  ㋵ヨ  ㋶ラ  ㋷リ  ㋸ル  ㋹レ  ㋺ロ  ㋻ワ  ㋼ヰ  ㋽ヱ  ㋾ヲ  ㌃アール㌅インチ㌆ウォン㌉オンス㌊オーム㌋カイリ㌎ガロン㌏ガンマ㌐ギガ ㌑ギニー㌔キロ ㌘グラム㌜ケース㌝コルナ㌞コーポ㌢センチ㌣セント㌤ダース㌥デシ ㌦ドル ㌧トン ㌨ナノ ㌩ノット㌪ハイツ㌬パーツ㌯ピクル㌰ピコ ㌱ビル ㌵フラン㌷ペソ ㌸ペニヒ㌹ヘルツ㌺ペンス㌻ページ㌼ベータ㌾ボルト㌿ホン ㍀ポンド㍁ホール㍂ホーン㍄マイル㍅マッハ㍆マルク㍉ミリ ㍋メガ ㍎ヤード㍏ヤール㍐ユアン㍒リラ ㍓ルピー㍕レム ㍗ワット㍘0点 ㍙1点 ㍚2点 ㍛3点 ㍜4点 ㍝5点 ㍞6点 ㍟7点 ㍠8点 ㍡9点 ㍢10点㍣11点㍤12点㍥13点㍦14点㍧15点㍨16点㍩17点㍪18点㍫19点㍬20点㍭21点㍮22点㍯23点㍰24点㍱hPa㍲da ㍳AU ㍴bar㍵oV ㍶pc ㍻平成 ㍼昭和 ㍽大正 ㍾明治 ㎀pA ㎁nA ㎂μA ㎃mA ㎄kA ㎅KB ㎆MB ㎇GB ㎈cal㎊pF ㎋nF ㎌μF ㎍μg ㎎mg ㎏kg ㎐Hz ㎑kHz㎒MHz㎓GHz㎔THz㎕μl ㎖ml ㎗dl ㎘kl ㎙fm ㎚nm ㎛μm ㎜mm ㎝cm ㎞km ㎟mm2㎠cm2㎡m2 ㎢km2㎣mm3㎤cm3㎥m3 ㎦km3㎧m∕s㎩Pa ㎪kPa㎫MPa㎬GPa㎭rad㎰ps ㎱ns ㎲μs ㎳ms ㎴pV ㎵nV ㎶μV ㎷mV ㎸kV ㎹MV ㎺pW ㎻nW ㎼μW ㎽mW ㎾kW ㎿MW ㏀kΩ ㏁MΩ ㏃Bq ㏄cc ㏅cd ㏇Co.㏈dB ㏉Gy ㏊ha ㏋HP ㏌in ㏍KK ㏎KM ㏏kt ㏐lm ㏑ln ㏒log㏓lx ㏔mb ㏕mil㏖mol㏗PH ㏙PPM㏚PR ㏛sr ㏜Sv ㏝Wb ㏠1日 ㏡2日 ㏢3日 ㏣4日 ㏤5日 ㏥6日 ㏦7日 ㏧8日 ㏨9日 ㏩10日㏪11日㏫12日㏬13日㏭14日㏮15日㏯16日㏰17日㏱18日㏲19日㏳20日㏴21日㏵22日㏶23日㏷24日㏸25日㏹26日㏺27日㏻28日㏼29日㏽30日㏾31日ﬀff ﬁfi ﬂfl ﬃffiﬄfflﬅst ﬆst ０0  １1  ２2  ３3  ４4  ５5  ６6  ７7  ８8  ９9  ＡA  ＢB  ＣC  ＤD  ＥE  ＦF  ＧG  ＨH  ＩI  ＪJ  ＫK  ＬL  ＭM  ＮN  ＯO  ＰP  ＱQ  ＲR  ＳS  ＴT  ＵU  ＶV  ＷW  ＸX  ＹY  ＺZ  ａa  ｂb  ｃc  ｄd  ｅe  ｆf  ｇg  ｈh  ｉi  ｊj  ｋk  ｌl  ｍm  ｎn  ｏo  ｐp  ｑq  ｒr  ｓs  ｔt  ｕu  ｖv  ｗw  ｘx  ｙy  ｚz  ｦヲ  ｧァ  ｨィ  ｩゥ  ｪェ  ｫォ  ｬャ  ｭュ  ｮョ  ｯッ  ｰー  ｱア  ｲイ  ｳウ  ｴエ  ｵオ  ｶカ  ｷキ  ｸク  ｹケ  ｺコ  ｻサ  ｼシ  ｽス  ｾセ  ｿソ  ﾀタ  ﾁチ  ﾂツ  ﾃテ  ﾄト  ﾅナ  ﾆニ  ﾇヌ  ﾈネ  ﾉノ  ﾊハ  ﾋヒ  ﾌフ  ﾍヘ  ﾎホ  ﾏマ  ﾐミ  ﾑム  ﾒメ  ﾓモ  ﾔヤ  ﾕユ  ﾖヨ  ﾗラ  ﾘリ  ﾙル  ﾚレ  ﾛロ  ﾜワ  ﾝン  ' AS forms)) ELSE source.canonical_name END AS t) AS usual) END AS t) AS whole) AS canonical_name FROM entities AS source;

CREATE VIRTUAL TABLE entities_fts USING fts5(name, canonical_name, content = 'entities_words', content_rowid = 'seq', tokenize = 'unicode61');

CREATE TRIGGER entities_fts_bd BEFORE DELETE ON entities BEGIN INSERT INTO entities_fts (entities_fts, rowid, name, canonical_name) SELECT 'delete', seq, name, canonical_name FROM entities_words WHERE seq = old.seq; END;

CREATE TRIGGER entities_fts_ai AFTER INSERT ON entities BEGIN INSERT INTO entities_fts (rowid, name, canonical_name) SELECT seq, name, canonical_name FROM entities_words WHERE seq = new.seq; END;

CREATE TRIGGER entities_fts_bu BEFORE UPDATE OF name, canonical_name ON entities BEGIN INSERT INTO entities_fts (entities_fts, rowid, name, canonical_name) SELECT 'delete', seq, name, canonical_name FROM entities_words WHERE seq = old.seq; END;

CREATE TRIGGER entities_fts_au AFTER UPDATE OF name, canonical_name ON entities BEGIN INSERT INTO entities_fts (rowid, name, canonical_name) SELECT seq, name, canonical_name FROM entities_words WHERE seq = new.seq; END;

CREATE VIEW episode_chunks_words AS SELECT seq, (SELECT CASE WHEN length(whole.t) <= 20000
       AND (whole.t GLOB '*[A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿ][0-9]*' OR whole.t GLOB '*[0-9][A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿ]*') THEN (
      WITH RECURSIVE step (done, rest, ahead) AS (
        SELECT '', whole.t, ltrim(whole.t, ' etaoinsrhldcumfpgwybvkxjqz.,-_/:"''`()
	!#$%&*+;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^{|}~')
        UNION ALL
        SELECT done || substr(rest, 1, length(rest) - length(ahead))
            || iif(ahead GLOB '[0-9]*' AND substr(done || substr(rest, 1, length(rest) - length(ahead)), -1) GLOB '[A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿ]', ' ', '')
            || substr(ahead, 1, length(ahead) - length(iif(ahead GLOB '[0-9]*', ltrim(ahead, '0123456789'), substr(ahead, 2)))) || iif(ahead GLOB '[0-9]*' AND iif(ahead GLOB '[0-9]*', ltrim(ahead, '0123456789'), substr(ahead, 2)) GLOB '[A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿ]*', ' ', ''),
          iif(ahead GLOB '[0-9]*', ltrim(ahead, '0123456789'), substr(ahead, 2)), ltrim(iif(ahead GLOB '[0-9]*', ltrim(ahead, '0123456789'), substr(ahead, 2)), ' etaoinsrhldcumfpgwybvkxjqz.,-_/:"''`()
	!#$%&*+;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^{|}~')
          FROM step WHERE ahead <> '')
      SELECT done || rest FROM step WHERE ahead = '') ELSE whole.t END FROM (SELECT CASE WHEN length(CAST(source.content AS BLOB)) = length(source.content) THEN source.content ELSE (SELECT replace(replace(replace(replace(replace(replace(replace(replace(CASE WHEN usual.t GLOB '*[⺀-𳎿]*' THEN (
      WITH RECURSIVE
        place (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM place WHERE at < 32),
        piece (number, part) AS (
          SELECT 0, substr(usual.t, 1, 32 + 1)
          UNION ALL
          SELECT number + 1, substr(usual.t, (number + 1) * 32 + 1, 32 + 1)
            FROM piece WHERE length(part) > 32)
      SELECT group_concat(CASE WHEN two GLOB '[々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿][々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿]' THEN ' ' || two || ' '
                    WHEN two GLOB '[々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿]*' THEN ' ' || substr(two, 1, 1) || ' '
                    ELSE substr(two, 1, 1) END, '')
        FROM (SELECT substr(part, at, 2) AS two FROM piece CROSS JOIN place WHERE at <= length(part))) ELSE usual.t END, 'ß', 'ss'), 'ẞ', 'ss'), 'ё', 'е'), 'Ё', 'Е'), 'œ', 'oe'), 'Œ', 'OE'), 'æ', 'ae'), 'Æ', 'AE') FROM (SELECT CASE WHEN source.content GLOB '*[²³µ¹⁰-₟ℂ-⓿㈀-㏿ﬀ-ﬆ０-９Ａ-Ｚａ-ｚｦ-ﾟ⌚⌛⏩-⏺☀-➿⬅-⬇⬛⬜⭐⭕🇦-🇿🌀-🫿]*' THEN (
      WITH RECURSIVE
        place (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM place WHERE at < 32),
        piece (number, part) AS (
          SELECT 0, substr(source.content, 1, 32 + 1)
          UNION ALL
          SELECT number + 1, substr(source.content, (number + 1) * 32 + 1, 32 + 1)
            FROM piece WHERE length(part) > 32)
      SELECT group_concat(CASE WHEN two GLOB '[ｶ-ﾎ]ﾞ' THEN char(unicode(rtrim(substr(forms, instr(forms, substr(two, 1, 1)) + 1, 3))) + 1)
                 WHEN two GLOB '[ﾊ-ﾎ]ﾟ' THEN char(unicode(rtrim(substr(forms, instr(forms, substr(two, 1, 1)) + 1, 3))) + 2)
                 WHEN two = 'ｳﾞ' THEN 'ヴ'
                 WHEN two GLOB '[ﾞﾟ]*' THEN ''
                 WHEN two GLOB '[²-³µ¹⁰-ⁱ⁴-⁹ⁿ-₉ℂ-℃℅-ℇ℉-ℓℕ-№ℙ-ℝℤΩℨK-ℭℯ-ℱℳ-ℹℽ-ℿⅅ-ⅉⅠ-ⅦⅨ-ⅶⅸ-ⅿ①-⑼⒈-⓪㈀-㈜㈠-㉃㉑-㉻㊀-㋋㋐-㋾㌃㌅-㌆㌉-㌋㌎-㌑㌔㌘㌜-㌞㌢-㌪㌬㌯-㌱㌵㌷-㌼㌾-㍂㍄-㍆㍉㍋㍎-㍐㍒-㍓㍕㍗-㍶㍻-㍾㎀-㎈㎊-㎧㎩-㎭㎰-㏁㏃-㏅㏇-㏗㏙-㏝㏠-㏾ﬀ-ﬆ０-９Ａ-Ｚａ-ｚｦ-ﾝ]*' THEN rtrim(substr(forms, instr(forms, substr(two, 1, 1)) + 1, 3))
                 WHEN two GLOB '[⌚⌛⏩-⏺☀-➿⬅-⬇⬛⬜⭐⭕🇦-🇿🌀-🫿]*' THEN printf(' 00%d ', unicode(two))
                 ELSE substr(two, 1, 1) END, '')
        FROM (SELECT substr(part, at, 2) AS two FROM piece CROSS JOIN place WHERE at <= length(part)), (SELECT '²2  ³3  µμ  ¹1  ⁰0  ⁱi  ⁴4  ⁵5  ⁶6  ⁷7  ⁸8  ⁹9  ⁿn  ₀0  ₁1  ₂2  ₃3  ₄4  ₅5  ₆6  ₇7  ₈8  ₉9  ℂC  ℃°C ℅c/o℆c/uℇƐ  ℉°F ℊg  ℋH  ℌH  ℍH  ℎh  ℏħ  ℐI  ℑI  ℒL  ℓl  ℕN  №No ℙP  ℚQ  ℛR  ℜR  ℝR  ℤZ  ΩΩ  ℨZ  KK  ÅÅ  ℬB  ℭC  ℯe  ℰE  ℱF  ℳM  ℴo  ℵא  ℶב  ℷג  ℸד  ℹi  ℽγ  ℾΓ  ℿΠ  ⅅD  ⅆd  ⅇe  ⅈi  ⅉj  ⅠI  ⅡII ⅢIIIⅣIV ⅤV  ⅥVI ⅦVIIⅨIX ⅩX  ⅪXI ⅫXIIⅬL  ⅭC  ⅮD  ⅯM  ⅰi  ⅱii ⅲiiiⅳiv ⅴv  ⅵvi ⅶviiⅸix ⅹx  ⅺxi ⅻxiiⅼl  ⅽc  ⅾd  ⅿm  ①1  ②2  ③3  ④4  ⑤5  ⑥6  ⑦7  ⑧8  ⑨9  ⑩10 ⑪11 ⑫12 ⑬13 ⑭14 ⑮15 ⑯16 ⑰17 ⑱18 ⑲19 ⑳20 ⑴(1)⑵(2)⑶(3)⑷(4)⑸(5)⑹(6)⑺(7)⑻(8)⑼(9)⒈1. ⒉2. ⒊3. ⒋4. ⒌5. ⒍6. ⒎7. ⒏8. ⒐9. ⒑10.⒒11.⒓12.⒔13.⒕14.⒖15.⒗16.⒘17.⒙18.⒚19.⒛20.⒜(a)⒝(b)⒞(c)⒟(d)⒠(e)⒡(f)⒢(g)⒣(h)⒤(i)⒥(j)⒦(k)⒧(l)⒨(m)⒩(n)⒪(o)⒫(p)⒬(q)⒭(r)⒮(s)⒯(t)⒰(u)⒱(v)⒲(w)⒳(x)⒴(y)⒵(z)ⒶA  ⒷB  ⒸC  ⒹD  ⒺE  ⒻF  ⒼG  ⒽH  ⒾI  ⒿJ  ⓀK  ⓁL  ⓂM  ⓃN  ⓄO  ⓅP  ⓆQ  ⓇR  ⓈS  ⓉT  ⓊU  ⓋV  ⓌW  ⓍX  ⓎY  ⓏZ  ⓐa  ⓑb  ⓒc  ⓓd  ⓔe  ⓕf  ⓖg  ⓗh  ⓘi  ⓙj  ⓚk  ⓛl  ⓜm  ⓝn  ⓞo  ⓟp  ⓠq  ⓡr  ⓢs  ⓣt  ⓤu  ⓥv  ⓦw  ⓧx  ⓨy  ⓩz  ⓪0  ㈀(ᄀ)㈁(ᄂ)㈂(ᄃ)㈃(ᄅ)㈄(ᄆ)㈅(ᄇ)㈆(ᄉ)㈇(ᄋ)㈈(ᄌ)㈉(ᄎ)㈊(ᄏ)㈋(ᄐ)㈌(ᄑ)㈍(ᄒ)㈎(가)㈏(나)㈐(다)㈑(라)㈒(마)㈓(바)㈔(사)㈕(아)㈖(자)㈗(차)㈘(카)㈙(타)㈚(파)㈛(하)㈜(주)㈠(一)㈡(二)㈢(三)㈣(四)㈤(五)㈥(六)㈦(七)㈧(八)㈨(九)㈩(十)㈪(月)㈫(火)㈬(水)㈭(木)㈮(金)㈯(土)㈰(日)㈱(株)㈲(有)㈳(社)㈴(名)㈵(特)㈶(財)㈷(祝)㈸(労)㈹(代)㈺(呼)㈻(学)㈼(監)㈽(企)㈾(資)㈿(協)㉀(祭)㉁(休)㉂(自)㉃(至)㉑21 ㉒22 ㉓23 ㉔24 ㉕25 ㉖26 ㉗27 ㉘28 ㉙29 ㉚30 ㉛31 ㉜32 ㉝33 ㉞34 ㉟35 ㉠ᄀ  ㉡ᄂ  ㉢ᄃ  ㉣ᄅ  ㉤ᄆ  ㉥ᄇ  ㉦ᄉ  ㉧ᄋ  ㉨ᄌ  ㉩ᄎ  ㉪ᄏ  ㉫ᄐ  ㉬ᄑ  ㉭ᄒ  ㉮가  ㉯나  ㉰다  ㉱라  ㉲마  ㉳바  ㉴사  ㉵아  ㉶자  ㉷차  ㉸카  ㉹타  ㉺파  ㉻하  ㊀一  ㊁二  ㊂三  ㊃四  ㊄五  ㊅六  ㊆七  ㊇八  ㊈九  ㊉十  ㊊月  ㊋火  ㊌水  ㊍木  ㊎金  ㊏土  ㊐日  ㊑株  ㊒有  ㊓社  ㊔名  ㊕特  ㊖財  ㊗祝  ㊘労  ㊙秘  ㊚男  ㊛女  ㊜適  ㊝優  ㊞印  ㊟注  ㊠項  ㊡休  ㊢写  ㊣正  ㊤上  ㊥中  ㊦下  ㊧左  ㊨右  ㊩医  ㊪宗  ㊫学  ㊬監  ㊭企  ㊮資  ㊯協  ㊰夜  ㊱36 ㊲37 ㊳38 ㊴39 ㊵40 ㊶41 ㊷42 ㊸43 ㊹44 ㊺45 ㊻46 ㊼47 ㊽48 ㊾49 ㊿50 ㋀1月 ㋁2月 ㋂3月 ㋃4月 ㋄5月 ㋅6月 ㋆7月 ㋇8月 ㋈9月 ㋉10月㋊11月㋋12月㋐ア  ㋑イ  ㋒ウ  ㋓エ  ㋔オ  ㋕カ  ㋖キ  ㋗ク  ㋘ケ  ㋙コ  ㋚サ  ㋛シ  ㋜ス  ㋝セ  ㋞ソ  ㋟タ  ㋠チ  ㋡ツ  ㋢テ  ㋣ト  ㋤ナ  ㋥ニ  ㋦ヌ  ㋧ネ  ㋨ノ  ㋩ハ  ㋪ヒ  ㋫フ  ㋬ヘ  ㋭ホ  ㋮マ  ㋯ミ  ㋰ム  ㋱メ  ㋲モ  ㋳ヤ  ㋴ユ  ㋵ヨ  ㋶ラ  ㋷リ  ㋸ル  ㋹レ  ㋺ロ  ㋻ワ  ㋼ヰ  ㋽ヱ  ㋾ヲ  ㌃アール㌅インチ㌆ウォン㌉オンス㌊オーム㌋カイリ㌎ガロン㌏ガンマ㌐ギガ ㌑ギニー㌔キロ ㌘グラム㌜ケース㌝コルナ㌞コーポ㌢センチ㌣セント㌤ダース㌥デシ ㌦ドル ㌧トン ㌨ナノ ㌩ノット㌪ハイツ㌬パーツ㌯ピクル㌰ピコ ㌱ビル ㌵フラン㌷ペソ ㌸ペニヒ㌹ヘルツ㌺ペンス㌻ページ㌼ベータ㌾ボルト㌿ホン ㍀ポンド㍁ホール㍂ホーン㍄マイル㍅マッハ㍆マルク㍉ミリ ㍋メガ ㍎ヤード㍏ヤール㍐ユアン㍒リラ ㍓ルピー㍕レム ㍗ワット㍘0点 ㍙1点 ㍚2点 ㍛3点 ㍜4点 ㍝5点 ㍞6点 ㍟7点 ㍠8点 ㍡9点 ㍢10点㍣11点㍤12点㍥13点㍦14点㍧15点㍨16点㍩17点㍪18点㍫19点㍬20点㍭21点㍮22点㍯23点㍰24点㍱hPa㍲da ㍳AU ㍴bar㍵oV ㍶pc ㍻平成 ㍼昭和 ㍽大正 ㍾明治 ㎀pA ㎁nA ㎂μA ㎃mA ㎄kA ㎅KB ㎆MB ㎇GB ㎈cal㎊pF ㎋nF ㎌μF ㎍μg ㎎mg ㎏kg ㎐Hz ㎑kHz㎒MHz㎓GHz㎔THz㎕μl ㎖ml ㎗dl ㎘kl ㎙fm ㎚nm ㎛μm ㎜mm ㎝cm ㎞km ㎟mm2㎠cm2㎡m2 ㎢km2㎣mm3㎤cm3㎥m3 ㎦km3㎧m∕s㎩Pa ㎪kPa㎫MPa㎬GPa㎭rad㎰ps ㎱ns ㎲μs ㎳ms ㎴pV ㎵nV ㎶μV ㎷mV ㎸kV ㎹MV ㎺pW ㎻nW ㎼μW ㎽mW ㎾kW ㎿MW ㏀kΩ ㏁MΩ ㏃Bq ㏄cc ㏅cd ㏇Co.㏈dB ㏉Gy ㏊ha ㏋HP ㏌in ㏍KK ㏎KM ㏏kt ㏐lm ㏑ln ㏒log㏓lx ㏔mb ㏕mil㏖mol㏗PH ㏙PPM㏚PR ㏛sr ㏜Sv ㏝Wb ㏠1日 ㏡2日 ㏢3日 ㏣4日 ㏤5日 ㏥6日 ㏦7日 ㏧8日 ㏨9日 ㏩10日㏪11日㏫12日㏬13日㏭14日㏮15日㏯16日㏰17日㏱18日㏲19日㏳20日㏴21日㏵22日㏶23日㏷24日㏸25日㏹26日㏺27日㏻28日㏼29日㏽30日㏾31日ﬀff ﬁfi ﬂfl ﬃffiﬄfflﬅst ﬆst ０0  １1  ２2  ３3  ４4  ５5  ６6  ７7  ８8  ９9  ＡA  ＢB  ＣC  ＤD  ＥE  ＦF  ＧG  ＨH  ＩI  ＪJ  ＫK  ＬL  ＭM  ＮN  ＯO  ＰP  ＱQ  ＲR  ＳS  ＴT  ＵU  ＶV  ＷW  ＸX  ＹY  ＺZ  ａa  ｂb  ｃc  ｄd  ｅe  ｆf  ｇg  ｈh  ｉi  ｊj  ｋk  ｌl  ｍm  ｎn  ｏo  ｐp  ｑq  ｒr  ｓs  ｔt  ｕu  ｖv  ｗw  ｘx  ｙy  ｚz  ｦヲ  ｧァ  ｨィ  ｩゥ  ｪェ  ｫォ  ｬャ  ｭュ  ｮョ  ｯッ  ｰー  ｱア  ｲイ  ｳウ  ｴエ  ｵオ  ｶカ  ｷキ  ｸク  ｹケ  ｺコ  ｻサ  ｼシ  ｽス  ｾセ  ｿソ  ﾀタ  ﾁチ  ﾂツ  ﾃテ  ﾄト  ﾅナ  ﾆニ  ﾇヌ  ﾈネ  ﾉノ  ﾊハ  ﾋヒ  ﾌフ  ﾍヘ  ﾎホ  ﾏマ  ﾐミ  ﾑム  ﾒメ  ﾓモ  ﾔヤ  ﾕユ  ﾖヨ  ﾗラ  ﾘリ  ﾙル  ﾚレ  ﾛロ  ﾜワ  ﾝン  ' AS forms)) ELSE source.content END AS t) AS usual) END AS t) AS whole) AS content FROM episode_chunks AS source;

CREATE VIRTUAL TABLE episode_chunks_fts USING fts5(content, content = 'episode_chunks_words', content_rowid = 'seq', tokenize = 'porter unicode61');

CREATE TRIGGER episode_chunks_bd BEFORE DELETE ON episode_chunks BEGIN INSERT INTO episode_chunks_fts (episode_chunks_fts, rowid, content) SELECT 'delete', seq, content FROM episode_chunks_words WHERE seq = old.seq; END;

CREATE TRIGGER episode_chunks_ai AFTER INSERT ON episode_chunks BEGIN INSERT INTO episode_chunks_fts (rowid, content) SELECT seq, content FROM episode_chunks_words WHERE seq = new.seq; END;

CREATE TRIGGER episode_chunks_bu BEFORE UPDATE OF content ON episode_chunks BEGIN INSERT INTO episode_chunks_fts (episode_chunks_fts, rowid, content) SELECT 'delete', seq, content FROM episode_chunks_words WHERE seq = old.seq; END;

CREATE TRIGGER episode_chunks_au AFTER UPDATE OF content ON episode_chunks BEGIN INSERT INTO episode_chunks_fts (rowid, content) SELECT seq, content FROM episode_chunks_words WHERE seq = new.seq; END;
