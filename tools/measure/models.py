"""The networks that are measured, in plain torch.nn, with random weights. No dropout anywhere, as published.

Sizes: ResNet-50 (He et al. 2016, v1.5: the stride in the 3x3 convolution), ViT-B/16 at 224 x 224 (Dosovitskiy et al.
2021), ALBERT base v2 (Lan et al. 2020) with the losses of its pre-training. A tiny model has the same parts but few and
narrow ones: it tries the tool, it measures nothing of interest.
"""
import torch
from torch import nn
from torch.nn import functional as F

CLASSES = 1000


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride):
        super().__init__()
        outputs = 4 * width
        self.body = nn.Sequential(
            nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
            nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
            nn.Conv2d(width, outputs, 1, bias=False), nn.BatchNorm2d(outputs))
        self.shortcut = nn.Identity() if inputs == outputs and stride == 1 else nn.Sequential(
            nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return F.relu(self.body(x) + self.shortcut(x))


class ResNet(nn.Module):
    def __init__(self, depths=(3, 4, 6, 3), width=64):
        super().__init__()
        layers = [nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
                  nn.MaxPool2d(3, 2, 1)]
        inputs = width
        for stage, depth in enumerate(depths):
            for block in range(depth):
                layers.append(Bottleneck(inputs, width << stage, 2 if stage > 0 and block == 0 else 1))
                inputs = 4 * (width << stage)
        self.body = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, CLASSES))

    def forward(self, images):
        return self.body(images)


class Norm(nn.LayerNorm):
    """In the precision of its weights, as autocast has it on a GPU but, in torch 1.13, not on a CPU."""

    def forward(self, x):
        return super().forward(x.to(self.weight.dtype))


def attend(query, key, value):
    """torch's fused attention where there is one (from 2.0); in 1.13 the same in three steps."""
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(query, key, value)
    scores = query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5
    return scores.softmax(-1) @ value


class Block(nn.Module):
    """Attention and two dense layers; normalised before each (ViT) or after (ALBERT)."""

    def __init__(self, width, heads, norm_first, epsilon, activation):
        super().__init__()
        self.heads, self.norm_first = heads, norm_first
        self.qkv, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.dense = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(approximate=activation),
                                   nn.Linear(4 * width, width))
        self.norms = nn.ModuleList(Norm(width, eps=epsilon) for _ in range(2))

    def attention(self, x):
        samples, length, width = x.shape
        parts = self.qkv(x).view(samples, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        return self.project(attend(*parts.unbind(0)).transpose(1, 2).reshape(samples, length, width))

    def forward(self, x):
        for norm, part in zip(self.norms, (self.attention, self.dense)):
            x = x + part(norm(x)) if self.norm_first else norm(x + part(x))
        return x


class ViT(nn.Module):
    def __init__(self, image=224, patch=16, width=768, heads=12, depth=12):
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.position = nn.Parameter(torch.randn(1, 1 + (image // patch) ** 2, width) * 0.02)
        self.blocks = nn.Sequential(*(Block(width, heads, True, 1e-6, "none") for _ in range(depth)))
        self.norm, self.head = Norm(width, eps=1e-6), nn.Linear(width, CLASSES)

    def forward(self, images):
        patches = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(len(images), -1, -1), patches], 1) + self.position
        return self.head(self.norm(self.blocks(x)[:, 0]))


class Albert(nn.Module):
    """The encoder, and the two heads of pre-training: masked words at given places, order of two sentences."""

    def __init__(self, vocabulary=30000, embedding=128, width=768, heads=12, depth=12, positions=512):
        super().__init__()
        self.depth = depth
        self.encoder = nn.ModuleDict({
            "words": nn.Embedding(vocabulary, embedding), "positions": nn.Embedding(positions, embedding),
            "sentences": nn.Embedding(2, embedding), "norm": Norm(embedding, eps=1e-12),
            "widen": nn.Linear(embedding, width), "block": Block(width, heads, False, 1e-12, "tanh"),
            "pool": nn.Linear(width, width)})
        self.narrow = nn.Sequential(nn.Linear(width, embedding), nn.GELU(approximate="tanh"),
                                    Norm(embedding, eps=1e-12))
        self.word_bias, self.order = nn.Parameter(torch.zeros(vocabulary)), nn.Linear(width, 2)

    def forward(self, words, sentences, masked):
        parts, length = self.encoder, words.shape[1]
        places = torch.arange(length, device=words.device)
        x = parts["widen"](parts["norm"](parts["words"](words) + parts["positions"](places) +
                                         parts["sentences"](sentences)))
        for _ in range(self.depth):  # one set of weights
            x = parts["block"](x)
        found = F.linear(self.narrow(x[:, masked]), parts["words"].weight, self.word_bias)
        return found, self.order(torch.tanh(parts["pool"](x[:, 0])))


def image_job(network, side):
    def batch_of(size, device):
        return (torch.randn(size, 3, side, side, device=device), torch.randint(CLASSES, (size,), device=device))

    def loss_of(model, batch):
        return F.cross_entropy(model(batch[0]), batch[1])
    return network, batch_of, loss_of


def text_job(network, length, vocabulary):
    """15 % of the words of a sequence are to be found, at the same places in each sequence."""
    masked = max(1, length * 15 // 100)

    def batch_of(size, device):
        return (torch.randint(vocabulary, (size, length), device=device),
                torch.randint(2, (size, length), device=device), torch.randperm(length, device=device)[:masked],
                torch.randint(vocabulary, (size * masked,), device=device), torch.randint(2, (size,), device=device))

    def loss_of(model, batch):
        found, order = model(*batch[:3])
        return F.cross_entropy(found.flatten(0, 1), batch[3]) + F.cross_entropy(order, batch[4])
    return network, batch_of, loss_of


BUILDERS = {  # name: (the model, the tiny one); each gives network, batch_of(size, device), loss_of(network, batch)
    "resnet50": (lambda: image_job(ResNet(), 224), lambda: image_job(ResNet((1, 1, 1, 1), 8), 32)),
    "vit-b16": (lambda: image_job(ViT(), 224), lambda: image_job(ViT(32, 16, 32, 2, 2), 32)),
    "albert-base-128": (lambda: text_job(Albert(), 128, 30000),
                        lambda: text_job(Albert(100, 8, 32, 2, 2, 16), 16, 100)),
    "albert-base-512": (lambda: text_job(Albert(), 512, 30000),
                        lambda: text_job(Albert(100, 8, 32, 2, 2, 32), 32, 100)),
}


def optimiser_of(name, network):
    """As these are trained: SGD with momentum for ResNet-50, AdamW for the others. Small steps: values that run away to
    infinity would draw another power."""
    if name == "resnet50":
        return torch.optim.SGD(network.parameters(), lr=1e-3, momentum=0.9, weight_decay=1e-4)
    return torch.optim.AdamW(network.parameters(), lr=1e-4)
